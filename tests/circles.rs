//! Checks that the modules of one crate use each other in one direction only.
//!
//! Every module with child modules has a graph: its children, each with everything below it, and the uses between them.
//! No graph may have a circle. A path counts in imports, re-exports, code and arguments of macros, and leads to the
//! module that defines the item. Uses between a module and the modules above it do not count: a folder's file lists its
//! children, and may define what they share. `#[cfg(test)]` items are skipped.
//!
//! Modules, imports and paths are parsed with `syn`. All variants of a module that differs by system are read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::buffer::{Cursor, TokenBuffer};
use syn::visit::{self, Visit};

/// Circles that still exist, as "module: children". Remove the entry of a circle that is gone; add none.
const ALLOWED: &[&str] = &[];

/// Maximum number of uses printed for two modules.
const SHOWN: usize = 12;

/// Module with the meaning of its names. Files that differ by system are one module.
#[derive(Default)]
struct Module {
    children: BTreeSet<String>,
    /// Names of the items defined in the module, except modules.
    items: BTreeSet<String>,
    /// Imported names, each with the path it refers to; several paths if they differ by system.
    uses: BTreeMap<String, Vec<Vec<String>>>,
    /// Modules imported with a glob.
    globs: Vec<Vec<String>>,
    /// Paths used in the module, including imports.
    paths: BTreeSet<Vec<String>>,
}

/// Modules of a crate by path; the path of the root is empty.
type Modules = BTreeMap<Vec<String>, Module>;

/// Returns `true` if a condition includes `test`. Conditions with `not` and `any` are not tests.
fn needs_test(condition: &syn::Meta) -> bool {
    match condition {
        syn::Meta::List(list) if list.path.is_ident("all") => metas(list).iter().any(needs_test),
        other => other.path().is_ident("test"),
    }
}

fn metas(list: &syn::MetaList) -> Vec<syn::Meta> {
    let parse = syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
    list.parse_args_with(parse).map(|metas| metas.into_iter().collect()).unwrap_or_default()
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|a| a.path().is_ident("cfg")).any(|a| match &a.meta {
        syn::Meta::List(list) => metas(list).iter().any(needs_test),
        _ => false,
    })
}

/// Returns the files that the `path` attributes of a module name, for any system.
fn named_files(attributes: &[syn::Attribute]) -> Vec<String> {
    let nested = |meta: &syn::Meta| match meta {
        syn::Meta::List(list) if list.path.is_ident("cfg_attr") => metas(list),
        other => vec![other.clone()],
    };
    let literal = |meta: syn::Meta| match meta {
        syn::Meta::NameValue(syn::MetaNameValue {
            path,
            value: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(value), .. }),
            ..
        }) if path.is_ident("path") => Some(value.value()),
        _ => None,
    };
    attributes.iter().flat_map(|a| nested(&a.meta)).filter_map(literal).collect()
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

/// Collects the paths in the tokens of a macro.
fn token_paths(mut cursor: Cursor, paths: &mut BTreeSet<Vec<String>>) {
    let (mut path, mut colons) = (Vec::new(), 0);
    while let Some((_, next)) = cursor.token_tree() {
        if let Some((name, _)) = cursor.ident() {
            if colons != 2 {
                paths.insert(std::mem::take(&mut path));
            }
            path.push(name.to_string());
            colons = 0;
        } else if cursor.punct().is_some_and(|(punct, _)| punct.as_char() == ':') {
            colons += 1;
        } else {
            paths.insert(std::mem::take(&mut path));
            colons = 0;
            if let Some((inside, ..)) = cursor.any_group() {
                token_paths(inside, paths);
            }
        }
        cursor = next;
    }
    paths.insert(path);
    // A single name was imported or is defined here.
    paths.retain(|path| path.len() > 1);
}

/// Visitor that reads the items of one module and of the modules below it.
struct Reader<'a> {
    modules: &'a mut Modules,
    at: Vec<String>,
    file: PathBuf,
    /// Directory of the files of its children.
    directory: PathBuf,
}

impl Reader<'_> {
    fn here(&mut self) -> &mut Module {
        self.modules.entry(self.at.clone()).or_default()
    }

    fn read(&mut self) {
        let file = self.file.display();
        let text = std::fs::read_to_string(&self.file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let items = syn::parse_file(&text).unwrap_or_else(|e| panic!("{file}: {e}")).items;
        items.iter().for_each(|item| self.visit_item(item));
    }

    fn module(&mut self, module: &syn::ItemMod) {
        let name = module.ident.to_string();
        self.here().children.insert(name.clone());
        let at = [self.at.clone(), vec![name.clone()]].concat();
        let directory = self.directory.join(&name);
        if let Some((_, items)) = &module.content {
            let mut below = Reader { modules: self.modules, at, file: self.file.clone(), directory };
            return items.iter().for_each(|item| below.visit_item(item));
        }
        let mut files = BTreeMap::from([
            (self.directory.join(format!("{name}.rs")), directory.clone()),
            (directory.join("mod.rs"), directory),
        ]);
        for path in named_files(&module.attrs) {
            let file = self.file.with_file_name(path);
            files.insert(file.clone(), file.parent().expect("a file has a directory").to_owned());
        }
        files.retain(|file, _| file.is_file());
        assert!(!files.is_empty(), "no file of module {} exists", at.join("::"));
        for (file, directory) in files {
            Reader { modules: self.modules, at: at.clone(), file, directory }.read();
        }
    }

    fn import(&mut self, import: &syn::ItemUse) {
        let mut imports = Vec::new();
        leaves(&import.tree, &mut Vec::new(), &mut imports);
        let here = self.here();
        for (name, path) in imports {
            here.paths.insert(path.clone());
            if name == "*" {
                here.globs.push(path);
            } else {
                here.uses.entry(name).or_default().push(path);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        use syn::Item;
        let (attributes, name) = match item {
            Item::Const(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Impl(item) => (&item.attrs, None),
            Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            Item::Mod(item) => (&item.attrs, None),
            Item::Static(item) => (&item.attrs, Some(&item.ident)),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            Item::Union(item) => (&item.attrs, Some(&item.ident)),
            Item::Use(item) => (&item.attrs, None),
            other => return visit::visit_item(self, other),
        };
        if is_test(attributes) {
            return;
        }
        if let Some(name) = name {
            self.here().items.insert(name.to_string());
        }
        match item {
            Item::Mod(module) => self.module(module),
            Item::Use(import) => self.import(import),
            other => visit::visit_item(self, other),
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        // A single name was imported or is defined here.
        if segments.len() > 1 {
            self.here().paths.insert(segments);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        token_paths(TokenBuffer::new2(call.tokens.clone()).begin(), &mut self.here().paths);
        visit::visit_macro(self, call);
    }
}

/// Maximum number of imports followed for one name; imports can refer to each other in circles.
const MOST_IMPORTS: usize = 12;

/// Meaning of the names in a crate.
struct Names<'a> {
    modules: &'a Modules,
    /// Module at the top that contains the use. Of several imports of a name, the import from this module counts.
    system: Option<&'a String>,
}

impl Names<'_> {
    /// Returns the module that defines the item a path refers to, as seen from another module, or `None` if it belongs
    /// to another crate.
    fn defined(&self, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
        let mut at = from.to_vec();
        for (i, segment) in path.iter().enumerate() {
            match segment.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => _ = at.pop()?,
                name if self.modules.get(&at)?.children.contains(name) => at.push(name.to_owned()),
                name if self.modules[&at].items.contains(name) => return Some(at),
                name => {
                    let ignored = (at == from).then_some(path);
                    let target = self.imported(&at, name, ignored, depth).and_then(|(module, target)| {
                        self.defined(&module, &[&target, &path[i + 1..]].concat(), depth + 1)
                    });
                    // Otherwise, the first name belongs to another crate.
                    return target.or((i > 0).then_some(at));
                }
            }
        }
        Some(at)
    }

    /// Returns the path that a name in a module refers to, and the module that contains the path. `ignored` is an
    /// import whose own first name is in question.
    fn imported(
        &self,
        at: &[String],
        name: &str,
        ignored: Option<&[String]>,
        depth: usize,
    ) -> Option<(Vec<String>, Vec<String>)> {
        let module = self.modules.get(at)?;
        if module.items.contains(name) || module.children.contains(name) {
            return Some((at.to_vec(), vec!["self".to_owned(), name.to_owned()]));
        }
        if depth > MOST_IMPORTS {
            return None;
        }
        let mut targets = module.uses.get(name).into_iter().flatten().filter(|path| Some(path.as_slice()) != ignored);
        let first = targets.clone().next();
        if let Some(target) = targets.find(|path| path.first() == self.system).or(first) {
            return Some((at.to_vec(), target.clone()));
        }
        // The first name of a glob cannot come from the same glob.
        module.globs.iter().filter(|glob| glob[0] != name).find_map(|glob| {
            let target = self.defined(at, glob, depth + 1).filter(|target| target != at)?;
            self.imported(&target, name, None, depth + 1)
        })
    }
}

/// Uses between the children of one module: from, to, and a line for each file with its paths.
type Graph = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Returns the graphs of the modules of a crate, given the file of its root.
fn graphs(root: &Path) -> BTreeMap<Vec<String>, Graph> {
    let mut modules = Modules::new();
    let directory = root.parent().expect("a file has a directory").to_owned();
    Reader { modules: &mut modules, at: Vec::new(), file: root.to_owned(), directory }.read();
    let mut graphs: BTreeMap<Vec<String>, Graph> = BTreeMap::new();
    for (at, module) in &modules {
        let names = Names { modules: &modules, system: at.first() };
        for path in &module.paths {
            let Some(target) = names.defined(at, path, 0) else { continue };
            let same = at.iter().zip(&target).take_while(|(from, to)| from == to).count();
            if let (Some(from), Some(to)) = (at.get(same), target.get(same)) {
                let graph = graphs.entry(at[..same].to_vec()).or_default();
                let uses = graph.entry(from.clone()).or_default().entry(to.clone()).or_default();
                uses.insert(format!("  {} -> {}: {}", at.join("::"), target.join("::"), path.join("::")));
            }
        }
    }
    graphs
}

/// Returns the sets of modules that use each other in a circle.
fn circles(graph: &Graph) -> BTreeSet<BTreeSet<String>> {
    let reach = |from: &String| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
        while let Some(module) = todo.pop() {
            todo.extend(graph.get(module).into_iter().flat_map(BTreeMap::keys).filter(|to| seen.insert((*to).clone())));
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<String>> = graph.keys().map(|module| (module, reach(module))).collect();
    let round = |module: &String| {
        let members =
            reached[module].iter().filter(|other| reached.get(other).is_some_and(|back| back.contains(module)));
        members.cloned().collect::<BTreeSet<String>>()
    };
    graph.keys().filter(|module| reached[module].contains(*module)).map(round).collect()
}

#[test]
fn no_modules_of_one_crate_use_each_other() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let members = std::fs::read_dir(&root).expect("the repository can be read").map(|entry| entry.unwrap().path());
    let circles_of = |package: PathBuf| {
        let mut circles_with_uses = BTreeMap::new();
        let tops = ["src/lib.rs", "src/main.rs"].map(|name| package.join(name));
        for top in tops.iter().filter(|top| top.is_file()) {
            let name = if package == root { "secchi".into() } else { package.file_name().unwrap().to_string_lossy() };
            for (level, graph) in graphs(top) {
                let level = [vec![name.to_string()], level].concat().join("::");
                for circle in circles(&graph) {
                    let members: Vec<&str> = circle.iter().map(String::as_str).collect();
                    let inside = circle.iter().flat_map(|from| graph[from].iter());
                    let inside =
                        inside.filter(|(to, _)| circle.contains(*to)).flat_map(|(_, uses)| uses.iter().take(SHOWN));
                    let uses = inside.map(String::as_str).collect::<Vec<_>>().join("\n");
                    circles_with_uses.insert(format!("{level}: {}", members.join(", ")), uses);
                }
            }
        }
        circles_with_uses
    };
    let mut circles_with_uses: BTreeMap<String, String> = std::thread::scope(|scope| {
        let packages: Vec<_> = members.chain([root.clone()]).map(|p| scope.spawn(|| circles_of(p))).collect();
        packages.into_iter().flat_map(|package| package.join().expect("every file can be parsed")).collect()
    });
    let gone = ALLOWED.iter().filter(|allowed| circles_with_uses.remove(**allowed).is_none());
    let mut complaints: Vec<String> =
        gone.map(|circle| format!("no longer exists, but is in ALLOWED: {circle}")).collect();
    complaints.extend(circles_with_uses.iter().map(|(circle, uses)| format!("{circle}\n{uses}")));
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}
