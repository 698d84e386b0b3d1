//! Checks that the files of one crate import each other in one direction only.
//!
//! Modules, imports and paths are parsed with `syn`. Macros, `#[cfg(test)]` items and re-exports (`pub use`) are
//! ignored, and so are imports by the files of a folder from the folder's own file (`mod.rs`, or the file with its
//! name).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// Module with its file and the meaning of its names.
#[derive(Default)]
struct Module {
    file: PathBuf,
    children: BTreeSet<String>,
    /// Imported names, each with the path it refers to; several paths if they differ by system.
    uses: BTreeMap<String, Vec<Vec<String>>>,
    /// Modules imported with a glob.
    globs: Vec<Vec<String>>,
    /// Paths used in the module, including imports.
    paths: Vec<Vec<String>>,
}

/// Modules of a crate by path; the path of the root is empty.
type Modules = BTreeMap<Vec<String>, Module>;

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| {
        let mut test = false;
        if a.path().is_ident("cfg") {
            // `not(test)`, features and similar conditions are not tests.
            let _ = a.parse_nested_meta(|meta| {
                test |= meta.path.is_ident("test");
                Ok(())
            });
        }
        test
    })
}

fn path_attribute(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().find_map(|a| match &a.meta {
        syn::Meta::NameValue(value) if a.path().is_ident("path") => match &value.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) => Some(path.value()),
            _ => None,
        },
        _ => None,
    })
}

/// Collects the leaves of an import as paths, each with its local name, or `*` for a glob.
fn leaves(tree: &syn::UseTree, before: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, found);
            before.pop();
        }
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, before, found)),
        syn::UseTree::Glob(_) => found.push(("*".to_owned(), before.clone())),
        syn::UseTree::Name(name) if name.ident == "self" => {
            found.push((before.last().cloned().unwrap_or_default(), before.clone()));
        }
        syn::UseTree::Name(name) => {
            found.push((name.ident.to_string(), [before.clone(), vec![name.ident.to_string()]].concat()));
        }
        syn::UseTree::Rename(rename) => {
            let mut path = before.clone();
            if rename.ident != "self" {
                path.push(rename.ident.to_string());
            }
            found.push((rename.rename.to_string(), path));
        }
    }
}

/// Visitor that reads the items of one module and of the modules below it.
struct Reader<'a> {
    modules: &'a mut Modules,
    at: Vec<String>,
    /// Directory of the files of its children.
    directory: PathBuf,
}

impl Reader<'_> {
    fn here(&mut self) -> &mut Module {
        self.modules.get_mut(&self.at).expect("it was entered before it is read")
    }

    fn child(&mut self, name: &str, file: PathBuf, directory: PathBuf, items: &[syn::Item]) {
        self.here().children.insert(name.to_owned());
        let at = [self.at.clone(), vec![name.to_owned()]].concat();
        self.modules.insert(at.clone(), Module { file, ..Module::default() });
        let mut below = Reader { modules: self.modules, at, directory };
        items.iter().for_each(|item| below.visit_item(item));
    }

    fn module(&mut self, module: &syn::ItemMod) {
        let name = module.ident.to_string();
        let directory = self.directory.join(&name);
        if let Some((_, items)) = &module.content {
            let file = self.here().file.clone();
            return self.child(&name, file, directory, items);
        }
        let named = path_attribute(&module.attrs).map(|path| self.directory.join(path));
        let choices = [self.directory.join(format!("{name}.rs")), directory.join("mod.rs")];
        let Some(file) = named.or_else(|| choices.into_iter().find(|p| p.is_file())) else { return };
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let items = syn::parse_file(&text).map(|file| file.items).unwrap_or_default();
        self.child(&name, file, directory, &items);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Mod(module) if !is_test(&module.attrs) => self.module(module),
            syn::Item::Mod(_) => {}
            syn::Item::Use(import) if is_test(&import.attrs) => {}
            syn::Item::Use(import) => {
                let mut imports = Vec::new();
                leaves(&import.tree, &mut Vec::new(), &mut imports);
                let offers = !matches!(import.vis, syn::Visibility::Inherited);
                let here = self.here();
                for (name, path) in imports {
                    if !offers {
                        here.paths.push(path.clone());
                    }
                    if name == "*" {
                        here.globs.push(path);
                    } else {
                        here.uses.entry(name).or_default().push(path);
                    }
                }
            }
            syn::Item::Fn(function) if is_test(&function.attrs) => {}
            syn::Item::Impl(block) if is_test(&block.attrs) => {}
            other => visit::visit_item(self, other),
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        // A single name was imported or is defined here.
        if segments.len() > 1 {
            self.here().paths.push(segments);
        }
        visit::visit_path(self, path);
    }
}

/// Returns the module that defines the item a path refers to, as seen from another module, or `None` if it belongs to
/// another crate.
fn defined(modules: &Modules, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
    let mut at = from.to_vec();
    for (i, segment) in path.iter().enumerate() {
        match segment.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => _ = at.pop()?,
            name => {
                let module = modules.get(&at)?;
                if module.children.contains(name) {
                    at.push(name.to_owned());
                    continue;
                }
                if depth > 12 {
                    return None;
                }
                let rest = &path[i + 1..];
                let mut targets =
                    module.uses.get(name).into_iter().flatten().filter(|t| t.as_slice() != path || at != from);
                // If there are several, take the one for the system of the importing file, otherwise the first.
                let first = targets.clone().next();
                if let Some(target) = targets.find(|t| t.first() == from.first()).or(first) {
                    return defined(modules, &at, &[target.as_slice(), rest].concat(), depth + 1);
                }
                // It belongs to another crate, or is defined here or behind a glob import.
                if i == 0 {
                    return None;
                }
                let behind = module.globs.iter().find_map(|glob| {
                    let target = defined(modules, &at, glob, depth + 1)?;
                    defines(modules, &target, name).then_some(target)
                });
                return Some(behind.unwrap_or(at));
            }
        }
    }
    Some(at)
}

/// Returns `true` if the file of a module seems to define a name.
fn defines(modules: &Modules, at: &[String], name: &str) -> bool {
    let Some(module) = modules.get(at) else { return false };
    let text = std::fs::read_to_string(&module.file).unwrap_or_default();
    ["struct ", "enum ", "fn ", "trait ", "type ", "const ", "static ", "union "].iter().any(|kind| {
        text.match_indices(&format!("{kind}{name}")).any(|(at, found)| {
            let next = text[at + found.len()..].chars().next();
            next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
        })
    })
}

/// Returns the imports between the files of a crate, given the file of its root.
fn arrows(root: &Path) -> BTreeMap<PathBuf, BTreeMap<PathBuf, Vec<String>>> {
    let text = std::fs::read_to_string(root).expect("the crate's root can be read");
    let items = syn::parse_file(&text).expect("the crate's root is Rust").items;
    let mut modules = Modules::from([(Vec::new(), Module { file: root.to_owned(), ..Module::default() })]);
    let directory = root.parent().expect("a file has a directory").to_owned();
    let mut reader = Reader { modules: &mut modules, at: Vec::new(), directory };
    items.iter().for_each(|item| reader.visit_item(item));
    let mut arrows: BTreeMap<PathBuf, BTreeMap<PathBuf, Vec<String>>> = BTreeMap::new();
    for (at, module) in &modules {
        for path in &module.paths {
            let to = defined(&modules, at, path, 0).and_then(|target| Some(modules.get(&target)?.file.clone()));
            // Files in a folder may use the definitions of the folder's own file.
            let above = |file: &Path| (0..at.len()).any(|n| modules.get(&at[..n]).is_some_and(|m| m.file == file));
            if let Some(to) = to.filter(|to| *to != module.file && !above(to)) {
                let names = arrows.entry(module.file.clone()).or_default().entry(to).or_default();
                names.push(path.join("::"));
            }
        }
    }
    arrows
}

/// Returns the sets of files that import each other in a circle.
fn circles(arrows: &BTreeMap<PathBuf, BTreeMap<PathBuf, Vec<String>>>) -> BTreeSet<BTreeSet<PathBuf>> {
    let reach = |from: &PathBuf| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
        while let Some(file) = todo.pop() {
            todo.extend(arrows.get(file).into_iter().flat_map(BTreeMap::keys).filter(|to| seen.insert((*to).clone())));
        }
        seen
    };
    let reached: BTreeMap<&PathBuf, BTreeSet<PathBuf>> = arrows.keys().map(|file| (file, reach(file))).collect();
    let round = |file: &PathBuf| {
        let members = reached[file].iter().filter(|other| reached.get(other).is_some_and(|back| back.contains(file)));
        members.cloned().collect::<BTreeSet<PathBuf>>()
    };
    arrows.keys().filter(|file| reached[file].contains(*file)).map(round).collect()
}

#[test]
fn no_files_of_one_crate_import_each_other() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut complaints = Vec::new();
    for package in [
        "",
        "analysis",
        "bench",
        "db",
        "durable",
        "embed",
        "import",
        "job",
        "load",
        "messages",
        "model",
        "monitor",
        "recording",
        "report",
        "run",
        "serve",
        "statistics",
        "store",
        "sys",
        "testkit",
    ] {
        let source = root.join(package).join("src");
        let Some(top) = ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().find(|p| p.is_file()) else {
            continue;
        };
        let arrows = arrows(&top);
        for circle in circles(&arrows) {
            let short = |path: &Path| path.strip_prefix(&root).unwrap_or(path).display().to_string();
            let inside = circle.iter().flat_map(|file| {
                let to = arrows.get(file).into_iter().flatten().filter(|(to, _)| circle.contains(*to));
                to.map(move |(to, names)| format!("  {} -> {}: {}", short(file), short(to), names.join(", ")))
            });
            complaints.push(format!("{} files\n{}", circle.len(), inside.collect::<Vec<_>>().join("\n")));
        }
    }
    assert!(complaints.is_empty(), "{} circles:\n{}", complaints.len(), complaints.join("\n\n"));
}
