//! Targets that a clone uses, and their preparation.

use super::paths::{file_names, named_device, names_one_file, paths_on};
use super::sizes::{ENDLESS, check_align, largest_block, sizes};
use crate::error::JobError;
use crate::file::{Section, not_done};
use crate::lower::engine::engine_options;
use crate::lower::facts::PathKind;
use crate::lower::lowered::Lowering;
use crate::names::LEADS_AWAY;
use crate::options::Fallocate;
use model::plan::{Layout, Reserve, ServerSpec, TargetKind};
use model::{Bytes, Target};
use std::path::{Path, PathBuf};

impl Lowering<'_> {
    /// Returns the targets that a clone uses on a server. They need no preparation.
    pub(in crate::lower) fn served(
        &mut self,
        section: &Section,
        server: ServerSpec,
        clone: u32,
    ) -> Result<Vec<Target>, JobError> {
        let o = &section.options;
        let needs = |option: &str| match o.engine.option(option) {
            Some(text) => Ok(text),
            None => Err(not_done(section, "ioengine", format!("{} needs {option}", o.engine.engine.word()))),
        };
        let engine = o.engine.engine;
        let needed = server.needs.iter().map(|option| needs(option)).collect::<Result<Vec<_>, _>>()?;
        if let Some(reason) = server.no_trims.filter(|_| o.pattern.rw.trims()) {
            return Err(not_done(section, "rw", reason));
        }
        if o.files.unlink || o.files.unlink_each_loop {
            let reason = format!("{} does not remove what it wrote from the server; remove it there", engine.word());
            return Err(not_done(section, "unlink", reason));
        }
        let (paths, kinds) = if server.sized {
            // As in fio, the job uses one object, regardless of the number of files.
            let path = PathBuf::from(needed.join("/"));
            (vec![path], vec![PathKind::Device(self.served_size(section)?)])
        } else {
            let paths = file_names(section, clone);
            let kinds = vec![PathKind::Missing; paths.len()];
            (paths, kinds)
        };
        let sizes = sizes(section, clone, &paths, &kinds, true, self.facts)?;
        if o.files.overwrite {
            self.out.overwrite.extend(paths.iter().cloned());
        }
        Ok(paths.into_iter().zip(sizes).map(|(path, (offset, size))| Target::served(path, offset, size)).collect())
    }

    /// Returns the size of the object that the section uses. Each object is queried only once.
    fn served_size(&mut self, section: &Section) -> Result<Bytes, JobError> {
        let (engine, options) = (section.options.engine.engine.word(), engine_options(&section.options));
        if let Some((_, size)) = self.served.iter().find(|(known, _)| *known == options) {
            return Ok(*size);
        }
        let size =
            self.facts.served_size(engine, &options).map_err(|why| not_done(section, "ioengine", why.to_string()))?;
        self.served.push((options, size));
        Ok(size)
    }

    /// Returns the files that a clone uses, and records how to prepare them. `ends` is the used length of each file, if
    /// known.
    pub(in crate::lower) fn targets(
        &mut self,
        section: &Section,
        clone: u32,
        null: bool,
        ends: Option<&[Bytes]>,
    ) -> Result<Vec<Target>, JobError> {
        let o = &section.options;
        let is_device = |path: &Path| !null && self.facts.is_device(path);
        if !null
            && named_device(section, &is_device).is_none()
            && section.name.starts_with('/')
            && names_one_file(section)
        {
            return Err(JobError::new(&section.at, format!("name `{}`: {LEADS_AWAY}", model::clip(&section.name))));
        }
        let paths = paths_on(section, clone, &is_device);
        let kind = |path: &PathBuf| if null { PathKind::Missing } else { self.facts.kind(path) };
        let kinds: Vec<PathKind> = paths.iter().map(kind).collect();
        for (path, kind) in paths.iter().zip(&kinds) {
            let what = match kind {
                PathKind::Directory => "is a directory",
                PathKind::Other => "is neither a file nor a block device",
                _ => continue,
            };
            return Err(not_done(section, "filename", format!("{} {what}", path.display())));
        }
        let sizes = match ends {
            Some(ends) => used(section, &paths, &kinds, ends)?,
            None => sizes(section, clone, &paths, &kinds, null, self.facts)?,
        };
        let stage = self.out.stages.len();
        let mut targets = Vec::with_capacity(paths.len());
        for ((path, kind), (offset, size)) in paths.into_iter().zip(kinds).zip(sizes) {
            let device = matches!(kind, PathKind::Device(_) | PathKind::Endless);
            let direct = o.engine.direct || o.engine.engine.commands();
            let align = if direct && !null { self.facts.align(&path) } else { Bytes(1) };
            check_align(section, align, offset)?;
            if !null && !device {
                self.lay_out(section, &path, kind, offset.saturating_add(size), stage)?;
            }
            let kind = match (null, device) {
                (true, _) => TargetKind::Null,
                (_, true) if kind != PathKind::Endless => TargetKind::Device,
                _ => TargetKind::File,
            };
            targets.push(Target { kind, path, size, offset, direct, align, uuid: None });
        }
        if o.files.overwrite && (o.pattern.rw.writes() || o.pattern.rw.trims()) {
            self.out.overwrite.extend(targets.iter().map(|t| t.path.clone()));
        }
        Ok(targets)
    }

    fn lay_out(
        &mut self,
        section: &Section,
        path: &Path,
        kind: PathKind,
        end: Bytes,
        stage: usize,
    ) -> Result<(), JobError> {
        let f = &section.options.files;
        if kind == PathKind::Missing && !f.allow_file_create {
            return Err(not_done(section, "allow_file_create", format!("{} does not exist", path.display())));
        }
        // No space is allocated for files that the job fills. Data to be read must exist.
        let later =
            f.create_on_open || (f.fill_device && (end.as_u64() >= ENDLESS || !section.options.pattern.rw.reads()));
        let reserve = match f.fallocate {
            Fallocate::Native | Fallocate::Posix if !later => Reserve::Allocate,
            Fallocate::Keep if !later => Reserve::AllocateKeepSize,
            Fallocate::Truncate if !later => Reserve::Truncate,
            _ => Reserve::None,
        };
        // If a file is only written, its space is allocated. If it is read or overwritten, it is fully written first.
        let write = (section.options.pattern.rw.reads() || f.overwrite) && !later;
        let size = if later { Bytes(0) } else { end };
        match self.out.layout.iter_mut().find(|l| l.path == path) {
            Some(known) => {
                known.size = known.size.max(size);
                known.write |= write;
                known.stages.push(stage);
            }
            None => self.out.layout.push(Layout {
                path: path.to_owned(),
                size,
                reserve,
                write,
                unwritten: Vec::new(),
                durable: f.create_fsync,
                exists: matches!(kind, PathKind::File(_)),
                stages: vec![stage],
            }),
        }
        Ok(())
    }
}

/// Returns the used part of each file as an offset and a size. Every part begins at offset 0 and ends at the given end.
fn used(
    section: &Section,
    paths: &[PathBuf],
    kinds: &[PathKind],
    ends: &[Bytes],
) -> Result<Vec<(Bytes, Bytes)>, JobError> {
    for ((path, kind), end) in paths.iter().zip(kinds).zip(ends) {
        if let PathKind::Device(size) = kind
            && end > size
        {
            let reason = format!(
                "{} has {size}, but the recording extends to {end}: replay_scale divides offsets",
                path.display()
            );
            return Err(not_done(section, "read_iolog", reason));
        }
    }
    Ok(ends.iter().map(|end| (Bytes(0), *end)).collect())
}

/// Returns the targets for an engine that works on file names. Each target is one block long, because it gets only one
/// operation.
pub(in crate::lower) fn names(section: &Section, clone: u32) -> Vec<Target> {
    let block = largest_block(&section.options);
    file_names(section, clone).into_iter().map(|path| Target::null(path, block)).collect()
}

/// Returns the target for a job without I/O. It has no file, and its size is never used.
pub(in crate::lower) fn no_target(section: &Section) -> Target {
    let block = largest_block(&section.options);
    Target::null(section.name.as_str(), block)
}
