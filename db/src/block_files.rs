//! Sessions that read blocks of the data files and bypass every cache, as PerfTools' RanIO does (`VIEW`). Updates go
//! through the engine's own session. Reads go directly to the files.

use crate::DataFile;
use load::session::{Batch, BatchKind, BatchResult, Session, Sessions};
use model::{Bytes, Job, measured::FileRole, plan::GlobalSize};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use sys::files::{Access, FileExt, OpenHow};

/// Maximum alignment that direct reads need, in bytes.
const ALIGN: usize = 4096;

/// Written parts of the data files, addressed by block.
#[derive(Debug, Clone)]
pub struct BlockFiles {
    /// Path, offset of the first block and number of blocks (at least one) of each file.
    files: Arc<Vec<(PathBuf, u64, u64)>>,
    block: u64,
}

impl BlockFiles {
    /// Selects the data files that have at least one written block of this size.
    #[must_use]
    pub fn new(files: &[DataFile], block: Bytes) -> BlockFiles {
        let block = block.as_u64().max(1);
        let data = files.iter().filter(|f| f.role == FileRole::Data && f.written.as_u64() >= block);
        let files = data.map(|f| (f.path.clone(), f.offset.as_u64(), f.written.as_u64() / block)).collect();
        BlockFiles { files: Arc::new(files), block }
    }

    /// Returns the size of each file in blocks, for [`model::plan::SessionRule::read`]. Files are numbered from 1.
    #[must_use]
    pub fn sizes(&self) -> Vec<GlobalSize> {
        (1..).zip(self.files.iter()).map(|(number, (_, _, count))| GlobalSize::new(number, *count)).collect()
    }

    /// Wraps the engine's sessions so that they read these blocks directly from the files.
    #[must_use]
    pub fn wrap_sessions(&self, engine: Arc<dyn Sessions>) -> Arc<dyn Sessions> {
        Arc::new(BlockSessions { engine, blocks: self.clone() })
    }
}

struct BlockSessions {
    engine: Arc<dyn Sessions>,
    blocks: BlockFiles,
}

impl Sessions for BlockSessions {
    fn open(&self, job: &Job, worker: u32) -> Result<Box<dyn Session>, String> {
        let mut engine_job = job.clone();
        if let Some(rule) = engine_job.tuning.work.session_mut() {
            // The engine's session only updates.
            rule.read.clear();
            rule.blocks = false;
            rule.read_percent = rule.read_percent.min(99);
        }
        let how = OpenHow { access: Access::Read, direct: true, exclusive: false };
        let open = |(path, offset, _): &(PathBuf, u64, u64)| {
            let file = sys::files::open_no_links(None, path, how);
            file.map(|f| (f, *offset)).map_err(|e| format!("cannot open {} with direct I/O: {e}", path.display()))
        };
        let files = self.blocks.files.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let buffer = vec![0; self.blocks.block as usize + ALIGN];
        let skip = buffer.as_ptr().align_offset(ALIGN).min(ALIGN);
        let session = self.engine.open(&engine_job, worker)?;
        Ok(Box::new(BlockSession { session, files, block: self.blocks.block, buffer, skip }))
    }

    fn writing_back(&self) -> Arc<AtomicBool> {
        self.engine.writing_back()
    }
}

struct BlockSession {
    session: Box<dyn Session>,
    /// Files with the offset of their first block.
    files: Vec<(File, u64)>,
    block: u64,
    /// Buffer for one block. The block begins at `skip`, so that it is aligned.
    buffer: Vec<u8>,
    skip: usize,
}

impl Session for BlockSession {
    fn perform(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        if batch.kind == BatchKind::Update {
            return self.session.perform(batch, result);
        }
        let into = &mut self.buffer[self.skip..self.skip + self.block as usize];
        for key in batch.keys {
            let Some((file, offset)) = self.files.get(key.global as usize - 1) else {
                return Err(io::Error::other(format!("there is no data file {}", key.global)));
            };
            let at = offset + (key.subscript - 1) * self.block;
            let before = Instant::now();
            file.read_exact_at(into, at)?;
            result.each.push(before.elapsed().as_nanos() as u64);
            result.bytes += self.block;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use load::session::{Key, KeyGenerator};
    use model::Nanos;
    use model::plan::{KeyOrder, SessionRule, ValueRule};

    struct Nothing;

    impl Session for Nothing {
        fn perform(&mut self, batch: &Batch<'_>, _result: &mut BatchResult) -> io::Result<()> {
            assert_eq!(batch.kind, BatchKind::Update);
            Ok(())
        }
    }

    #[test]
    fn reads_are_whole_blocks_of_the_files_and_updates_are_the_engines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data");
        let bytes: Vec<u8> = (0..5u8).flat_map(|n| [n; 512]).collect();
        std::fs::write(&path, bytes).unwrap();
        let file = |written| DataFile { role: FileRole::Data, path: path.clone(), offset: Bytes(512), written };
        let blocks = BlockFiles::new(&[file(Bytes(100)), file(Bytes(2100))], Bytes(512));
        let sizes = blocks.sizes();
        assert_eq!(sizes, [GlobalSize::new(1, 4)]);
        let mut session = BlockSession {
            session: Box::new(Nothing),
            files: vec![(File::open(&path).unwrap(), 512)],
            block: 512,
            buffer: vec![0; 512],
            skip: 0,
        };
        let rule = SessionRule {
            batch: 50,
            transaction: true,
            hang: Nanos(0),
            hang_variation: 0,
            read_percent: 50,
            own: GlobalSize::new(1, 9),
            read: sizes,
            blocks: true,
            order: KeyOrder::Random,
            value: ValueRule::Text,
            names: None,
            extra: Default::default(),
        };
        let mut generator = KeyGenerator::new(&rule, 1, 0, 0);
        let mut result = generator.empty_result();
        for _ in 0..20 {
            result.clear();
            let batch = generator.draw(u64::MAX);
            session.perform(&batch, &mut result).unwrap();
            let reads = if batch.kind == BatchKind::Read { 50 } else { 0 };
            assert_eq!((result.each.len() as u64, result.bytes), (reads, reads * 512));
            if let (Some(Key { subscript, .. }), BatchKind::Read) = (batch.keys.last(), batch.kind) {
                assert!(session.buffer.iter().all(|b| u64::from(*b) == *subscript));
            }
        }
    }
}
