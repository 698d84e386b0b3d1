//! Reads job files given as arguments and says what became of them: a tool for looking, not part of secchi.
#![expect(clippy::print_stdout, reason = "an example that talks")]

struct Disk;

impl job::Lookup for Disk {
    fn read(&self, path: &std::path::Path, from: Option<&str>) -> Result<Vec<u8>, String> {
        let beside = from.and_then(|f| std::path::Path::new(f).parent()).map(|dir| dir.join(path));
        let path = if path.exists() { path.to_owned() } else { beside.unwrap_or_else(|| path.to_owned()) };
        std::fs::read(path).map_err(|e| e.to_string())
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn machine(&self) -> job::Machine {
        job::Machine { cpus: 2, page_size: 4096, memory_mb: 16_384 }
    }
}

fn main() {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    match job::parse_arguments(&args, &[], &Disk) {
        Ok(file) => {
            for note in &file.notes {
                println!("note: {note}");
            }
            print!("ok: {} jobs: {}", file.sections.len(), job::command_line(&file));
        }
        Err(error) => println!("error: {error}"),
    }
}
