//! Calls of PerfTools run as they are typed.

use crate::support::{Sandbox, Secchi, beside};

#[test]
fn a_pasted_call_runs_and_its_command_is_printed_once() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let base = sandbox.data().join("base").display().to_string();
    let secchi = |words: &str| {
        let mut secchi = Secchi::new(&sandbox.path("home"));
        secchi.words(words);
        secchi
    };
    let call = |line: &str| {
        let ended = secchi("db").arg(line.replace("DIR", &base)).run();
        assert_eq!(ended.stderr.matches("this is `secchi db ").count(), 1, "{line}: {}", ended.stderr);
        ended
    };
    assert_eq!(call(r#"do ##class(PerfTools.RanWrite).Setup("DIR","RAN")"#).code, 0);
    assert_eq!(call(r#"do ##class(PerfTools.RanWrite).CreateGlobals("DIR",2,100)"#).code, 0);
    let ended = call(r#"USER>job ##class(PerfTools.RanWrite).Run("DIR",2,1,.001)"#);
    assert!(ended.stdout.contains("RanWrite"), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains(".001 is the pause between writes in seconds"), "{}", ended.stderr);
    let sql = "select Processes,{fn ROUND(AVG(Writes),0)} As Writes from PerfTools.RanWrite group by Batch";
    let answer = secchi("db sql --format csv").arg(&base).arg(sql).run().stdout;
    assert!(answer.starts_with("Processes,Writes") && answer.contains("\n2,"), "{answer}");
    secchi("db RanRead.Stop").run().refuses(64, "add the directory of one after the call");
}
