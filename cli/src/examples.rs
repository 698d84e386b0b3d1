//! Examples in the help of every command. A test parses each of them.

use clap::Command;

/// Examples as shell lines, after the path of their command in brackets; `[]` is secchi itself.
const EXAMPLES: &str = r#"
[]
secchi qualify /mnt/data                       # what limits this storage, in about 90 s
secchi qualify /mnt/data --volume gp3:size=500GiB --need '8k randread: iops>=3000, p99<=5ms'
secchi show last --full                        # all details of the newest run
[qualify]
secchi qualify /mnt/data --plan                # print the plan without changing anything
secchi qualify /mnt/data --limit 'volume iops=6000 mbps=125MiB' --effort standard
secchi qualify /mnt/data --volume gp3:size=500GiB,iops=6000 --instance m5.large
secchi qualify /mnt/data --need '8k randread: iops>=6000, p99<=5ms' -o page.html -o needs.xml
secchi qualify --target A=/mnt/a --target B=/mnt/b   # both at the same time, against their shared cap
secchi qualify --device /dev/nvme1n1 --patterns randread   # read-only
secchi qualify /mnt/data --metadata            # file operations, like mdtest easy and hard
secchi qualify /mnt/data --metadata --need 'mdtest-easy create: iops>=50k, p99<=1ms'
[fio]
secchi fio --name=r --filename=/mnt/data/t.dat --size=1g --rw=randread --bs=8k --iodepth=16 --direct=1
secchi fio job.fio --output-format=json,normal --output=r.json
[limits]
secchi limits explain --volume gp2:size=100GiB --instance m5.large
secchi limits solve --need '8k randread: iops>=6000' --capacity 500GiB --provider aws
[limits list]
secchi limits list
secchi limits list gp
[limits show]
secchi limits show gp3
[limits explain]
secchi limits explain --volume gp3:size=2000GiB,iops=6000 --instance m4.xlarge --bs 4k,8k,128k --depth 1,8,32
[limits solve]
secchi limits solve --need '8k randread: iops>=6000, avg<=2ms' --capacity 500GiB --provider aws
secchi limits solve db.sqio --provider aws --instance m7i.xlarge
secchi limits solve iostat.txt --current gp2:size=500GiB --capacity 500GiB --provider aws
[limits account]
secchi limits account volumes.json     # from: aws ec2 describe-volumes > volumes.json
secchi limits account instances.json   # from: az vm list > instances.json
[limits contracts]
secchi limits contracts
[limits import]
secchi limits import ec2 types.json    # from: aws ec2 describe-instance-types > types.json
secchi limits import azure skus.json   # from: az vm list-skus --resource-type virtualMachines --output json > skus.json
[compare]
secchi compare last-1 last                     # one run per side
secchi compare A1 A2 A3 A4 A5 -- B1 B2 B3 B4 B5
secchi compare before after                    # runs by tag
[ab]
secchi ab --a 'qualify /mnt/a --patterns randread' --b 'qualify /mnt/b --patterns randread' --rounds 5
[judge]
secchi judge last --need '8k randread: iops>=6000' --junit needs.xml
secchi judge results/*.txt --limit 'volume iops=40000'   # output of other tools
[lint]
secchi lint job.fio
secchi lint bench.sh                           # follows variables and loops
secchi lint 'fio --name=t --rw=randwrite --bs=8k --size=1g --iodepth=32'
[db]
secchi db setup /mnt/data/ran --engine postgres
secchi db create-globals /mnt/data/ran -g 10 -s 1000000
secchi db ranwrite /mnt/data/ran -p 10 -t 60 --need 'commit: p99<=10ms'
[db setup]
secchi db setup /mnt/data/ran
secchi db setup /mnt/data/ran --engine gtm --data /mnt/d1,/mnt/d2 --journal /mnt/j
secchi db setup /mnt/data/ran --engine model --profile iris   # the I/O of an engine without the engine
[db create-globals]
secchi db create-globals /mnt/data/ran -g 10 -s 1000000
secchi db create-globals /mnt/data/ran -g 10 -s 1000000 --indexes 2
[db add-globals]
secchi db add-globals /mnt/data/ran -g 5 -s 1000000
[db count-subscripts]
secchi db count-subscripts /mnt/data/ran
[db get-sizes]
secchi db get-sizes /mnt/data/ran
[db ranread]
secchi db ranread /mnt/data/ran -p 5 -t 60
[db ranwrite]
secchi db ranwrite /mnt/data/ran -p 10 -t 60 --need 'commit: p99<=10ms'
secchi db ranwrite /mnt/data/ran -p 8 -t 60 --compare-layout journal=/vol2   # would a move help?
[db ranio]
secchi db ranio /mnt/data/ran -p 10 -t 60
[db seqwrite]
secchi db seqwrite /mnt/data/ran -p 2
[db seqread]
secchi db seqread /mnt/data/ran -p 2
[db insert]
secchi db insert /mnt/data/ran -p 4 -t 60
secchi db insert /mnt/data/ran -p 4 --order random --grow-to 50g
[db tpcb]
secchi db tpcb /mnt/data/pg --scale 10 -p 8 -t 60
[db ramp]
secchi db ramp /mnt/data/ran --accept 'avg<=2ms, max<=5ms'
secchi db ramp /mnt/data/ran --verb ranwrite --from 16 --rate 100 --to-rate 6400 --need 'commit: p99<=10ms'
[db stop]
secchi db stop /mnt/data/ran
[db check]
secchi db check /mnt/data/ran
[db purge]
secchi db purge /mnt/data/ran         # remove only what setup created
[db adopt]
secchi db adopt /mnt/copy             # turn a copy into a separate database
[db script]
secchi db script --engine iris > load.mac
[db history]
secchi db history /mnt/data/ran
[db sql]
secchi db sql /mnt/data/ran 'select Processes, ReadsPerSec from PerfTools.RanRead'
[db export]
secchi db export /mnt/data/ran
[db reset]
secchi db reset /mnt/data/ran
[ping]
secchi ping .                                  # one read per second; Ctrl-C prints the statistics
secchi ping -c 10 -i 0.2 -s 16k /mnt/data      # ten reads of 16 KiB
secchi ping --nagios --warn-p99 5ms --max-p99 10ms /mnt/data
[watch]
secchi watch --role data=/srv/db --limit 'instance mbps=93.75MB'
secchi watch --role data=/srv/db -- make test
secchi watch --role data=/srv/db --alert 'await>20ms for 30s' --on-alert 'logger "$SECCHI_ALERT"'
secchi watch --one-line --for 10m > disks.txt
[record]
secchi record -o db.sqio --role data=/srv/db --role journal=/srv/wal --for 1h
secchi record -o test.sqio --role data=/srv/db -- make test
secchi record -o support.sqio --role data=/srv/db --redact      # omit all names except role names
secchi record -o calls.sqio --layer syscalls --role data=/srv/db -- make test    # system calls
secchi record -o trace.sqio --from sda.blktrace.bin --role data=8,0    # convert another tool's recording
[needs]
secchi needs db.sqio
secchi needs db.sqio --headroom 30% -o db.toml && secchi qualify /mnt/new --need db.toml
secchi needs production.mgst --html needs.html
[replay]
secchi replay db.sqio /mnt/candidate
secchi replay db.sqio --role data=/mnt/a --role journal=/mnt/b --timing scale=1.5
secchi replay db.sqio /mnt/small --fold 100g
[hydration]
secchi hydration /dev/nvme1n1                                   # a sample of 400 blocks, in less than a minute
secchi hydration /dev/nvme1n1 --share --warm --rate 200MiB      # load all of a mounted volume
[durable]
secchi durable /srv/db -o durable.html                          # how syncs reach the device, in a minute
secchi durable witness --listen 0.0.0.0:7418 --state witness    # on a machine that stays powered
secchi durable write /mnt/data --witness 192.0.2.7:7418 --token token    # then cut the power
secchi durable verify /mnt/data --witness 192.0.2.7:7418    # after the next boot
[durable write]
secchi durable write /mnt/data --witness 192.0.2.7:7418 --token token
secchi durable write /mnt/data --sync direct-dsync --block 16k --jobs 4 --for 1h
[durable witness]
secchi durable witness --listen 0.0.0.0:7418 --state witness
[durable verify]
secchi durable verify /mnt/data --witness 192.0.2.7:7418
secchi durable verify /mnt/data --may-tear --json    # without a witness: judge by the order of writes
secchi durable verify /mnt/data --witness 192.0.2.7:7418 --remove --token token
[runs]
secchi runs --where 'bs=8k and since 3d'
secchi runs tag last before-upgrade
secchi runs delete last-1
[runs tag]
secchi runs tag last before-upgrade
secchi runs tag last -before-upgrade   # remove the tag
[runs note]
secchi runs note last 'after the new firmware'
[runs delete]
secchi runs delete 3f2a last-1
[runs export]
secchi runs export last -o run.secchi
[runs import]
secchi runs import run.secchi
[runs join]
secchi runs join last
[runs trend]
secchi runs trend last
[runs init]
secchi runs init --store postgres://bench@db/runs
[runs push]
secchi runs push --store postgres://bench@db/runs
[show]
secchi show last
secchi show last-1 --full
secchi show before-upgrade --json
[report]
secchi report last -o page.html
secchi report before=last-1 after=last -o both.html
secchi report last -f markdown
[serve]
secchi serve
secchi serve --listen 127.0.0.1:8080
[rm]
secchi rm last
[completions]
secchi completions bash > ~/.local/share/bash-completion/completions/secchi
secchi completions zsh > ~/.zfunc/_secchi      # a directory in $fpath
secchi completions fish > ~/.config/fish/completions/secchi.fish
secchi completions powershell >> $PROFILE      # Windows
[manual]
secchi manual qualify | man -l -
secchi manual --dir ~/.local/share/man/man1    # then: man secchi-db-ranread"#;

/// Returns the commands that have examples, each with its lines.
fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXAMPLES.split("\n[").filter_map(|block| block.split_once("]\n"))
}

/// Returns a command whose help ends with its examples. Exit codes and notes on the environment precede the examples
/// and are in the long help only.
pub fn with_examples(command: Command, path: &str) -> Command {
    let Some(examples) = examples_text(path) else { return command };
    let before = command.get_after_help().map(|h| format!("{h}\n\n")).unwrap_or_default();
    command.after_long_help(format!("{before}{examples}")).after_help(examples)
}

/// Returns the examples of a command in the form of its help, if it has any.
pub fn examples_text(path: &str) -> Option<String> {
    let (_, lines) = examples().find(|(command, _)| *command == path)?;
    Some(format!("Examples:\n  {}", lines.replace('\n', "\n  ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arguments, lint_words, tag_words};
    use clap::Parser;

    /// Collects the paths of the commands, each with `true` if the command's help has examples.
    fn collect_examples(command: &Command, path: &str, found: &mut Vec<(String, bool)>) {
        let has = command.get_after_help().is_some_and(|h| h.to_string().contains("Examples:\n"));
        found.push((path.to_owned(), has));
        for below in command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
            let name = below.get_name();
            collect_examples(below, &if path.is_empty() { name.to_owned() } else { format!("{path} {name}") }, found);
        }
    }

    #[test]
    fn every_command_has_examples_and_each_is_read() {
        let mut commands = Vec::new();
        collect_examples(&crate::command(), "", &mut commands);
        for (command, has) in &commands {
            assert!(has, "`{command}` has no example");
        }
        for (command, lines) in examples() {
            assert!(commands.iter().any(|(c, _)| c == command), "`{command}` is no command");
            lines.lines().flat_map(|line| line.split(" && ")).for_each(reads);
        }
    }

    /// Panics if a line is not a valid command.
    fn reads(line: &str) {
        let line =
            [" # ", " > ", " >> ", " | man "].iter().fold(line, |line, end| line.split(end).next().unwrap_or_default());
        // Parsing the arguments reads the file of needs; a built-in contract replaces it.
        let line = ["--need contract.toml", "--need db.toml"]
            .iter()
            .fold(line.to_string(), |line, file| line.replace(file, "--need iris-flash"));
        let words = shlex::split(&line).expect("a line of a shell");
        let mut words: Vec<std::ffi::OsString> = words.into_iter().map(Into::into).collect();
        if let Some(call) = crate::perftools::translate(&words) {
            words.splice(1.., call.expect("a call of PerfTools").words);
        }
        let words = tag_words(lint_words(words));
        if let Err(error) = Arguments::try_parse_from(words)
            && error.kind() != clap::error::ErrorKind::DisplayVersion
        {
            panic!("{line}: {error}");
        }
    }

    #[test]
    fn commands_of_the_documents_are_read() {
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let mut count = 0;
        for page in testkit::files_below(&root.join("book/src"), &["md"]).into_iter().chain([root.join("README.md")]) {
            let text = std::fs::read_to_string(&page).expect("a page");
            let shell = text.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
            let lines = shell.flat_map(str::lines).flat_map(|l| l.split(" && "));
            let commands = lines.filter_map(|l| l.trim().trim_start_matches("sudo ").strip_prefix("secchi "));
            // fio and ping parse their arguments themselves.
            for line in commands.filter(|l| !l.starts_with("fio ") && !l.starts_with("ping ")) {
                count += 1;
                reads(&format!("secchi {line}"));
            }
        }
        assert!(count > 100, "{count} commands");
    }
}
