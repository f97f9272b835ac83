//! The names that the files of a crate use of each other, read from the sources.
//!
//! Files are found by following `mod` declarations. Every path in a file's code counts, also in macros, and is followed
//! through re-exports to the file that defines the thing. Code that is compiled for tests or for documentation alone
//! does not count, and neither does a module's list of its own content (`pub use self::child::Thing`).

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The path of a module below the root of its crate.
pub(crate) type Module = Vec<String>;

/// A crate: its modules, each of which is a file.
#[derive(Debug, Default)]
pub(crate) struct Crate {
    modules: BTreeMap<Module, Source>,
}

/// A file, with the names that it imports and uses.
#[derive(Debug, Default)]
struct Source {
    file: PathBuf,
    /// The path that each imported name stands for, as it is written in a `use`.
    imports: HashMap<String, Vec<String>>,
    /// The paths in its code, as they are written there.
    named: Vec<Vec<String>>,
    /// The modules below it that have files of their own.
    children: Vec<String>,
}

impl Crate {
    /// Reads the crate with this root file.
    pub(crate) fn read(root: &Path) -> Self {
        Self::read_by(root, &|path| std::fs::read_to_string(path).ok())
    }

    fn read_by(root: &Path, text_of: &dyn Fn(&Path) -> Option<String>) -> Self {
        let mut read = Self::default();
        let folder = root.parent().unwrap();
        let mut to_read = vec![(Module::new(), root.to_owned())];
        while let Some((module, file)) = to_read.pop() {
            let text = text_of(&file).unwrap_or_else(|| panic!("{} can't be read", file.display()));
            let mut source = Source { file, ..Source::default() };
            source.read(text.parse().unwrap());
            for child in &source.children {
                let below: PathBuf = module.iter().chain([child]).collect();
                let [file, in_folder] =
                    [below.with_extension("rs"), below.join("mod.rs")].map(|path| folder.join(path));
                let file = if text_of(&file).is_some() { file } else { in_folder };
                to_read.push((module.iter().chain([child]).cloned().collect(), file));
            }
            read.modules.insert(module, source);
        }
        read
    }

    /// Returns the names of the modules at the root.
    pub(crate) fn top_level(&self) -> impl Iterator<Item = &str> {
        self.modules[&Module::new()].children.iter().map(String::as_str)
    }

    /// Returns the modules that each module names.
    pub(crate) fn arrows(&self) -> BTreeMap<&Module, BTreeSet<&Module>> {
        let mut arrows = BTreeMap::new();
        for (module, source) in &self.modules {
            let named = source.named.iter().filter_map(|path| self.resolve(&self.absolute(module, path)?, 0));
            arrows.insert(module, named.filter(|named| *named != module).collect());
        }
        arrows
    }

    /// Returns the file of a module, below the root's folder.
    pub(crate) fn file(&self, module: &Module) -> String {
        let root = self.modules[&Module::new()].file.parent().unwrap();
        self.modules[module].file.strip_prefix(root).unwrap().display().to_string()
    }

    /// Returns the folder that a module's file belongs to: its own if it has modules below it (`net/dns.rs` is the head
    /// of `net/dns/`), otherwise the one in which it is.
    fn folder<'a>(&self, module: &'a Module) -> &'a [String] {
        if self.modules[module].children.is_empty() {
            module.split_last().map_or(&[], |(_, above)| above)
        } else {
            module
        }
    }

    /// Returns the circles of files that name each other over more than one folder: each is one thing in several places.
    pub(crate) fn circles_across_folders(&self) -> Vec<Vec<String>> {
        let arrows = self.arrows();
        let reached_from = |start| {
            let (mut reached, mut to_follow) = (BTreeSet::new(), vec![start]);
            while let Some(module) = to_follow.pop() {
                to_follow.extend(arrows[module].iter().filter(|named| reached.insert(**named)));
            }
            reached
        };
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            arrows.keys().map(|module| (*module, reached_from(*module))).collect();
        let circle_of = |module| -> Vec<&Module> {
            reached[module].iter().copied().filter(|other| reached[*other].contains(module)).collect()
        };
        let circles: BTreeSet<Vec<&Module>> = reached.keys().map(|module| circle_of(*module)).collect();
        let across = circles
            .into_iter()
            .filter(|circle| circle.iter().map(|module| self.folder(module)).collect::<BTreeSet<_>>().len() > 1);
        across.map(|circle| circle.into_iter().map(|module| self.file(module)).collect()).collect()
    }

    /// Returns a path as seen from the root, if it leads into this crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => {
                let (_, above) = module.split_last()?;
                match rest.first().map(String::as_str) {
                    Some("super") => self.absolute(above, rest),
                    _ => Some([above, rest].concat()),
                }
            }
            name => {
                let source = self.modules.get(module)?;
                // A function may have the same name as the module that it comes from.
                if source.children.iter().any(|child| child == name) {
                    return Some([module, path].concat());
                }
                let import = source.imports.get(name).filter(|import| import[0] != name)?;
                Some([self.absolute(module, import)?, rest.to_vec()].concat())
            }
        }
    }

    /// Returns the module that defines the thing that a path names, however often it is re-exported on the way.
    fn resolve(&self, path: &[String], steps: usize) -> Option<&Module> {
        const MOST: usize = 20;
        let (module, source) = (0..=path.len()).rev().find_map(|end| self.modules.get_key_value(&path[..end]))?;
        let rest = &path[module.len()..];
        let import = rest.first().and_then(|name| source.imports.get(name));
        match import.and_then(|import| self.absolute(module, import)) {
            Some(elsewhere) if elsewhere != path && steps < MOST => {
                self.resolve(&[&elsewhere, &rest[1..]].concat(), steps + 1)
            }
            _ if import.is_some() => None,
            _ => Some(module),
        }
    }
}

impl Source {
    fn read(&mut self, code: TokenStream) {
        let tokens: Vec<TokenTree> = code.into_iter().collect();
        let mut at = 0;
        let mut is_public = false;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Punct(hash) if hash.as_char() == '#' => {
                    at += if is_punct(tokens.get(at + 1), '!') { 2 } else { 1 };
                    let is_apart = matches!(tokens.get(at), Some(TokenTree::Group(group)) if is_apart(group));
                    at += 1;
                    if is_apart {
                        at = end_of_item(&tokens, at);
                    }
                }
                TokenTree::Ident(word) if word == "pub" => {
                    is_public = true;
                    at += 1;
                    if matches!(tokens.get(at), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
                    {
                        at += 1;
                    }
                    continue;
                }
                TokenTree::Ident(word) if word == "use" && !is_punct(tokens.get(at + 1), '<') => {
                    let end = end_of_item(&tokens, at);
                    self.import(&[], &tokens[at + 1..end - 1], is_public);
                    at = end;
                }
                TokenTree::Ident(word) if word == "mod" && is_punct(tokens.get(at + 2), ';') => {
                    self.children.push(tokens[at + 1].to_string());
                    at += 3;
                }
                TokenTree::Ident(_) => {
                    let (path, end) = path_at(&tokens, at);
                    // After `::` comes the rest of a path that begins with a type or outside of the crate.
                    let is_rest =
                        at > 0 && is_punct(tokens.get(at - 1), ':') && at > 1 && is_punct(tokens.get(at - 2), ':');
                    if path.len() > 1 && !is_rest {
                        self.named.push(path);
                    }
                    at = end;
                }
                TokenTree::Group(group) => {
                    self.read(group.stream());
                    at += 1;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => at += 1,
            }
            is_public = false;
        }
    }

    /// Reads one tree of a `use`, which is below `above`.
    fn import(&mut self, above: &[String], tree: &[TokenTree], is_public: bool) {
        let (path, end) = path_at(tree, 0);
        let mut path = [above, &path].concat();
        match tree.get(end) {
            // `{a, b::c}`, alone or behind `path::`.
            _ if matches!(tree.last(), Some(TokenTree::Group(_))) => {
                let Some(TokenTree::Group(group)) = tree.last() else { return };
                let trees: Vec<TokenTree> = group.stream().into_iter().collect();
                for tree in trees.split(|token| is_punct(Some(token), ',')).filter(|tree| !tree.is_empty()) {
                    self.import(&path, tree, is_public);
                }
                return;
            }
            // `path::*` is known by the paths that use it, and is otherwise an arrow to the module alone.
            Some(TokenTree::Punct(_)) => {}
            renamed => {
                if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                    path.pop();
                }
                let name = match renamed {
                    Some(_) => tree.last().map(ToString::to_string),
                    None => path.last().cloned(),
                };
                self.imports.extend(name.map(|name| (name, path.clone())));
            }
        }
        let is_content =
            is_public && path.first().is_some_and(|first| first == "self" || self.children.contains(first));
        if !is_content {
            self.named.push(path);
        }
    }
}

/// Reads the path that begins here, and returns its words and where it ends. `$crate` counts as `crate`.
fn path_at(tokens: &[TokenTree], mut at: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    while let Some(TokenTree::Ident(word)) = tokens.get(at) {
        path.push(word.to_string());
        at += 1;
        if !(is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')) {
            break;
        }
        at += 2;
    }
    (path, at)
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

/// Returns whether an attribute restricts the next item to tests or to documentation.
fn is_apart(attribute: &Group) -> bool {
    let text: String = attribute.stream().to_string().split_whitespace().collect();
    ["cfg(test)", "cfg(doc)", "cfg(doctest)"].contains(&text.as_str()) || text.starts_with("cfg(all(test,")
}

/// Returns the end of the item that begins here: behind its `;`, or behind the braces of its body.
fn end_of_item(tokens: &[TokenTree], begin: usize) -> usize {
    let ends_with_semicolon = ["use", "const", "static", "type"];
    let mut needs_semicolon = false;
    for (at, token) in tokens.iter().enumerate().skip(begin) {
        match token {
            // A function may be `const`.
            TokenTree::Ident(word) if word == "fn" => needs_semicolon = false,
            TokenTree::Ident(word) => needs_semicolon |= ends_with_semicolon.iter().any(|first| word == first),
            TokenTree::Punct(punct) if punct.as_char() == ';' => return at + 1,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !needs_semicolon => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> Crate {
        let text_of = |path: &Path| {
            let found = files.iter().find(|(name, _)| Path::new("src").join(name) == path);
            found.map(|(_, text)| (*text).to_owned())
        };
        Crate::read_by(Path::new("src/lib.rs"), &text_of)
    }

    fn arrows(crate_: &Crate) -> Vec<String> {
        let arrows = crate_.arrows();
        let arrows = arrows.iter().flat_map(|(from, to)| to.iter().map(|to| (from.join("::"), to.join("::"))));
        arrows.map(|(from, to)| format!("{from} > {to}")).collect()
    }

    #[test]
    fn a_path_leads_to_the_file_that_defines_the_thing_wherever_it_stands() {
        let read = read(&[
            ("lib.rs", "pub mod a; mod b; mod c; pub use b::deep as shallow; pub use self::a::A;"),
            ("a.rs", "use std::fmt; pub struct A; fn f() -> impl Sized + use<> { fmt::format }"),
            (
                "b/mod.rs",
                "pub mod deep; mod list; pub(crate) use self::{deep::Deep, list::Entry as Item}; pub struct Own;",
            ),
            ("b/deep.rs", "pub struct Deep; impl Deep { fn new() -> super::super::a::A { todo!() } }"),
            (
                "b/list.rs",
                "use super::{Own, deep::{self, Deep}}; #[cfg(test)] mod tests { use crate::c; } pub struct Entry;",
            ),
            (
                "c.rs",
                "#[cfg(doc)] use crate::b::Own;
                 /// [`crate::b::Own`]
                 #[cfg(any(test, feature = \"x\"))] fn f() { vec![crate::shallow::Deep]; }
                 fn g() { use crate::b; b::Item::new(); <A as std::b::Own>::b::Own; }",
            ),
        ]);
        assert_eq!(read.top_level().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(
            arrows(&read),
            ["b::deep > a", "b::list > b", "b::list > b::deep", "c > b", "c > b::deep", "c > b::list"]
        );
        assert_eq!(read.circles_across_folders(), [[""; 0]; 0]);
    }

    #[test]
    fn circles_are_found_over_folders_and_not_within_one() {
        let within =
            [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B; pub struct A;"), ("b.rs", "use crate::a::A;")];
        assert_eq!(read(&within).circles_across_folders(), [[""; 0]; 0]);
        let head =
            [("lib.rs", "mod a;"), ("a.rs", "mod b; use self::b::B; pub struct A;"), ("a/b.rs", "use super::A;")];
        assert_eq!(read(&head).circles_across_folders(), [[""; 0]; 0]);
        let across = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod deep; pub(crate) use self::deep::A;"),
            ("a/deep.rs", "pub struct A(crate::b::B);"),
            ("b.rs", "pub struct B; fn f() { macro_of!(A: $crate::a::A) }"),
        ];
        assert_eq!(read(&across).circles_across_folders(), [["a/deep.rs", "b.rs"]]);
    }
}
