//! A model of a file system that keeps what is durable apart from what is only in memory.

use super::super::Act;
use super::Tree;
use super::content::{Content, Write};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type Inode = usize;
const ROOT: Inode = 0;

/// What is durable, what is not yet, and what the running system sees.
#[derive(Clone, Debug)]
pub struct Disk {
    /// Durable content of each inode, reachable or not.
    nodes: Vec<Node>,
    /// The entries that the running system sees, by directory.
    visible: BTreeMap<Inode, BTreeMap<String, Inode>>,
    /// Effects that are not yet durable, oldest first.
    effects: Vec<Effect>,
}

#[derive(Clone, Debug)]
enum Node {
    File(Content),
    Directory(BTreeMap<String, Inode>),
}

#[derive(Clone, Debug)]
struct Effect {
    /// For people: `write a/b at 0`.
    name: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Bytes {
        file: Inode,
        write: Write,
    },
    /// Changes that happen together or not at all: directory, name, what the name leads to from now on.
    Entries {
        changes: Vec<(Inode, String, Option<Inode>)>,
        unsynced: BTreeSet<Inode>,
    },
}

/// Which of the effects that are not durable survive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Survival {
    None,
    All,
    First(usize),
    AllBut(usize),
    Only(usize),
    EntriesOnly,
    BytesOnly,
    Torn(usize),
    Zeros(usize),
}

impl Survival {
    /// The states that are tried of a disk.
    pub fn bounded(disk: &Disk) -> Vec<Self> {
        let count = disk.effects.len();
        let mut states = vec![Self::All, Self::None, Self::EntriesOnly, Self::BytesOnly];
        states.extend((1..count).map(Self::First));
        states.extend((0..count).map(Self::AllBut));
        states.extend((0..count).map(Self::Only));
        for (index, effect) in disk.effects.iter().enumerate() {
            if matches!(effect.kind, Kind::Bytes { .. }) {
                states.extend([Self::Torn(index), Self::Zeros(index)]);
            }
        }
        states
    }

    pub fn describe(&self, disk: &Disk) -> String {
        let name = |index: &usize| disk.effects[*index].name.clone();
        match self {
            Self::None => "nothing unsynced survives".to_owned(),
            Self::All => "everything survives".to_owned(),
            Self::First(count) => format!("only the first {count} unsynced effects survive"),
            Self::AllBut(index) => format!("`{}` alone is lost", name(index)),
            Self::Only(index) => format!("`{}` alone survives of what is unsynced", name(index)),
            Self::EntriesOnly => "unsynced entries of directories survive, unsynced bytes are lost".to_owned(),
            Self::BytesOnly => "unsynced bytes survive, unsynced entries of directories are lost".to_owned(),
            Self::Torn(index) => format!("half of `{}` survives", name(index)),
            Self::Zeros(index) => format!("`{}` survives as zeros", name(index)),
        }
    }

    fn keeps(&self, index: usize, kind: &Kind) -> bool {
        match self {
            Self::None => false,
            Self::All | Self::Torn(_) | Self::Zeros(_) => true,
            Self::First(count) => index < *count,
            Self::AllBut(lost) => index != *lost,
            Self::Only(kept) => index == *kept,
            Self::EntriesOnly => matches!(kind, Kind::Entries { .. }),
            Self::BytesOnly => matches!(kind, Kind::Bytes { .. }),
        }
    }
}

impl Disk {
    /// A disk on which all of `tree` is durable.
    pub fn new(tree: &Tree) -> Self {
        let root = Node::Directory(BTreeMap::new());
        let mut disk =
            Self { nodes: vec![root], visible: BTreeMap::from([(ROOT, BTreeMap::new())]), effects: Vec::new() };
        // Ascending order puts a directory before what lies in it.
        for path in &tree.directories {
            disk.place(path, Node::Directory(BTreeMap::new()));
        }
        for (path, bytes) in &tree.files {
            disk.place(path, Node::File(Content::new(Arc::clone(bytes))));
        }
        disk
    }

    fn place(&mut self, path: &str, node: Node) {
        let (parent, name) = self.parent(path).expect("a tree names every directory that holds something");
        let inode = self.add(node);
        self.visible.get_mut(&parent).expect("the parent is a directory").insert(name.clone(), inode);
        let Node::Directory(entries) = &mut self.nodes[parent] else { unreachable!("the parent is a directory") };
        entries.insert(name, inode);
    }

    fn add(&mut self, node: Node) -> Inode {
        let inode = self.nodes.len();
        if matches!(node, Node::Directory(_)) {
            self.visible.insert(inode, BTreeMap::new());
        }
        self.nodes.push(node);
        inode
    }

    fn find(&self, path: &str) -> Result<Inode, String> {
        path.split('/').filter(|part| !part.is_empty()).try_fold(ROOT, |directory, part| {
            self.visible
                .get(&directory)
                .and_then(|entries| entries.get(part))
                .copied()
                .ok_or_else(|| format!("`{path}` does not exist at this point"))
        })
    }

    fn parent(&self, path: &str) -> Result<(Inode, String), String> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = self.find(parent)?;
        if name.is_empty() || !self.visible.contains_key(&parent) {
            return Err(format!("`{path}` is not in a directory"));
        }
        Ok((parent, name.to_owned()))
    }

    /// Carries out one operation.
    ///
    /// # Errors
    /// A text, when the operation cannot have succeeded on this disk.
    pub fn apply(&mut self, act: &Act, data: &BTreeMap<String, Arc<[u8]>>) -> Result<(), String> {
        let name = format!("{} {}", act.name(), act.target());
        match act {
            Act::CreateDirectory { path } => self.create(name, path, Node::Directory(BTreeMap::new())),
            Act::CreateFile { path } => self.create(name, path, Node::File(Content::new(Arc::from([])))),
            Act::Write { path, offset, digest, .. } => {
                let bytes = data.get(digest).ok_or_else(|| format!("the bytes {digest} are missing"))?;
                let file = self.find(path)?;
                let offset = usize::try_from(*offset).map_err(|error| error.to_string())?;
                let write = Write { offset, bytes: Arc::clone(bytes), digest: digest.clone(), zeros: false };
                self.effects.push(Effect { name, kind: Kind::Bytes { file, write } });
                Ok(())
            }
            Act::SyncFile { path } => self.find(path).map(|file| self.sync(|kind| kind.file() == Some(file))),
            Act::SyncDirectory { path } => {
                let directory = self.find(path)?;
                self.sync(|kind| kind.synced_with(directory));
                Ok(())
            }
            Act::Rename { from, to } => {
                let (source, destination) = (self.parent(from)?, self.parent(to)?);
                let inode = self.find(from)?;
                self.entries(name, vec![(source.0, source.1, None), (destination.0, destination.1, Some(inode))]);
                Ok(())
            }
            Act::RemoveFile { path } | Act::RemoveDirectory { path } => {
                self.find(path)?;
                let (parent, entry) = self.parent(path)?;
                self.entries(name, vec![(parent, entry, None)]);
                Ok(())
            }
            Act::Read { .. } | Act::List { .. } => Ok(()),
        }
    }

    fn create(&mut self, name: String, path: &str, node: Node) -> Result<(), String> {
        let (parent, entry) = self.parent(path)?;
        let inode = self.add(node);
        self.entries(name, vec![(parent, entry, Some(inode))]);
        Ok(())
    }

    fn entries(&mut self, name: String, changes: Vec<(Inode, String, Option<Inode>)>) {
        for (directory, entry, target) in &changes {
            let entries = self.visible.get_mut(directory).expect("a parent is a directory");
            change(entries, entry, *target);
        }
        let unsynced = changes.iter().map(|(directory, ..)| *directory).collect();
        self.effects.push(Effect { name, kind: Kind::Entries { changes, unsynced } });
    }

    /// Makes the effects durable that `synced` picks, oldest first.
    fn sync(&mut self, mut synced: impl FnMut(&mut Kind) -> bool) {
        for mut effect in std::mem::take(&mut self.effects) {
            if synced(&mut effect.kind) {
                effect.kind.store(&mut self.nodes, effect.kind.length());
            } else {
                self.effects.push(effect);
            }
        }
    }

    /// What the machine comes up with.
    pub fn survivors(&self, survival: &Survival) -> Survivors {
        let mut nodes = self.nodes.clone();
        for (index, effect) in self.effects.iter().enumerate() {
            let kind = &effect.kind;
            match survival {
                _ if !survival.keeps(index, kind) => {}
                Survival::Torn(torn) if *torn == index => kind.store(&mut nodes, kind.length() / 2),
                Survival::Zeros(zeros) if *zeros == index => kind.zeros().store(&mut nodes, kind.length()),
                _ => kind.store(&mut nodes, kind.length()),
            }
        }
        let mut survivors = Survivors::default();
        collect(&nodes, ROOT, "", &mut survivors);
        survivors
    }
}

/// Files and directories that are left, by path.
#[derive(Default)]
pub struct Survivors {
    files: BTreeMap<String, Content>,
    directories: BTreeSet<String>,
}

impl Survivors {
    /// Equal identities are equal trees.
    pub fn identity(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        for (path, content) in &self.files {
            hasher.update(b"file").update(&(path.len() as u64).to_le_bytes()).update(path.as_bytes());
            hasher.update(content.identity().as_bytes());
        }
        for path in &self.directories {
            hasher.update(b"directory").update(&(path.len() as u64).to_le_bytes()).update(path.as_bytes());
        }
        hasher.finalize()
    }

    pub fn tree(self) -> Tree {
        let files = self.files.into_iter().map(|(path, content)| (path, content.bytes())).collect();
        Tree { files, directories: self.directories }
    }
}

impl Kind {
    fn file(&self) -> Option<Inode> {
        match self {
            Self::Bytes { file, .. } => Some(*file),
            Self::Entries { .. } => None,
        }
    }

    fn synced_with(&mut self, directory: Inode) -> bool {
        match self {
            Self::Bytes { .. } => false,
            Self::Entries { unsynced, .. } => {
                unsynced.remove(&directory);
                unsynced.is_empty()
            }
        }
    }

    fn length(&self) -> usize {
        match self {
            Self::Bytes { write, .. } => write.bytes.len(),
            Self::Entries { .. } => 0,
        }
    }

    fn zeros(&self) -> Self {
        match self {
            Self::Bytes { file, write } => Self::Bytes { file: *file, write: Write { zeros: true, ..write.clone() } },
            Self::Entries { .. } => self.clone(),
        }
    }

    /// Applies the effect to durable content, a write up to `length` bytes of it.
    fn store(&self, nodes: &mut [Node], length: usize) {
        match self {
            Self::Bytes { file, write } => {
                let Node::File(content) = &mut nodes[*file] else { unreachable!("bytes go to a file") };
                *content = content.after(write, length);
            }
            Self::Entries { changes, .. } => {
                for (directory, entry, target) in changes {
                    let Node::Directory(entries) = &mut nodes[*directory] else {
                        unreachable!("entries are in a directory")
                    };
                    change(entries, entry, *target);
                }
            }
        }
    }
}

fn change(entries: &mut BTreeMap<String, Inode>, name: &str, target: Option<Inode>) {
    match target {
        Some(inode) => entries.insert(name.to_owned(), inode),
        None => entries.remove(name),
    };
}

fn collect(nodes: &[Node], directory: Inode, prefix: &str, found: &mut Survivors) {
    let Node::Directory(entries) = &nodes[directory] else { unreachable!("only directories are descended into") };
    for (name, inode) in entries {
        let path = format!("{prefix}{name}");
        match &nodes[*inode] {
            Node::File(content) => {
                found.files.insert(path, content.clone());
            }
            Node::Directory(_) => {
                collect(nodes, *inode, &format!("{path}/"), found);
                found.directories.insert(path);
            }
        }
    }
}
