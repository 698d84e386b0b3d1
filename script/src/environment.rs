//! Variables of a script while it is followed. Copies share their maps until one of the copies changes.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// Value of a variable, with one string per array element; `None` if it is known only when the script runs.
pub type Value = Option<Rc<Vec<String>>>;

/// Number of maps that the variables are distributed over, so that a change after a copy duplicates only one small map.
const PARTS: usize = 128;

/// Maximum number of combinations of values with which one command is followed, and of values kept for one variable.
pub const MOST_READINGS: usize = 64;

/// Work counted for a value in addition to its bytes: an allocation and a few pointers.
const ELEMENT: usize = 32;

/// Work so far, in bytes and entries that were copied or compared. All copies share one counter.
#[derive(Debug, Clone, Default)]
pub struct Work(Rc<Cell<u64>>);

impl Work {
    pub fn add(&self, work: usize) {
        self.0.set(self.0.get().saturating_add(work as u64));
    }

    pub fn total(&self) -> u64 {
        self.0.get()
    }
}

/// Returns the work of copying or comparing some strings.
pub fn size(elements: &[String]) -> usize {
    elements.iter().map(|e| e.len() + ELEMENT).sum()
}

/// Possible values of some variables.
type Part = BTreeMap<Rc<str>, Rc<Vec<Value>>>;

/// Possible values of each variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variables(Vec<Rc<Part>>);

impl Default for Variables {
    fn default() -> Self {
        Variables(vec![Rc::default(); PARTS])
    }
}

impl Variables {
    fn part(name: &str) -> usize {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        hasher.finish() as usize % PARTS
    }

    pub fn get(&self, name: &str) -> Option<&Rc<Vec<Value>>> {
        self.0[Self::part(name)].get(name)
    }

    /// Returns the value of a variable that has exactly one possible value, if that value is known.
    pub fn known(&self, name: &str) -> Option<&String> {
        match self.get(name)?.as_slice() {
            [Some(elements)] => elements.first(),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Environment {
    pub variables: Variables,
    /// Positional parameters (`$1`, `$2`, ...).
    pub parameters: Value,
    pub work: Work,
}

impl Environment {
    pub fn set(&mut self, name: &str, value: Value) {
        self.set_all(name, Some(Rc::new(vec![value])));
    }

    /// Sets all possible values of a variable; `None` removes it.
    pub fn set_all(&mut self, name: &str, values: Option<Rc<Vec<Value>>>) {
        let part = &mut self.variables.0[Variables::part(name)];
        if Rc::strong_count(part) > 1 {
            self.work.add(part.len());
        }
        let part = Rc::make_mut(part);
        match (values, part.get_mut(name)) {
            (Some(values), Some(before)) => *before = values,
            (Some(values), None) => drop(part.insert(name.into(), values)),
            (None, _) => drop(part.remove(name)),
        }
    }

    /// Adds the values that the variables have after another path through the script to the same point.
    pub fn join(&mut self, other: &Environment) {
        self.work.add(PARTS);
        for n in 0..PARTS {
            if Rc::ptr_eq(&self.variables.0[n], &other.variables.0[n]) {
                continue;
            }
            self.work.add(other.variables.0[n].len());
            for (name, more) in other.variables.0[n].iter() {
                match self.variables.0[n].get(name) {
                    None => self.set_all(name, Some(Rc::clone(more))),
                    Some(values) if !Rc::ptr_eq(values, more) => {
                        let joined = self.joined(values, more);
                        self.set_all(name, Some(Rc::new(joined)));
                    }
                    Some(_) => {}
                }
            }
        }
    }

    fn joined(&self, values: &[Value], more: &[Value]) -> Vec<Value> {
        let mut joined = values.to_vec();
        for value in more {
            let value = if joined.len() < MOST_READINGS { value } else { &None };
            self.work.add(joined.len() + value.as_ref().map_or(0, |v| size(v)));
            if !joined.contains(value) {
                joined.push(value.clone());
            }
        }
        joined
    }

    pub fn value(&self, name: &str, index: Option<&str>) -> Value {
        let element = |elements: &Vec<String>, n: usize| Rc::new(elements.get(n).cloned().into_iter().collect());
        match name {
            "@" | "*" => self.parameters.clone(),
            "#" => self.parameters.as_ref().map(|p| Rc::new(vec![p.len().to_string()])),
            _ if name.starts_with(|c: char| c.is_ascii_digit()) => {
                let n: usize = name.parse().ok()?;
                Some(element(self.parameters.as_ref()?, n.checked_sub(1)?))
            }
            _ => {
                let elements = self.variables.get(name)?.first()?.as_ref()?;
                match index {
                    Some("@" | "*") => Some(Rc::clone(elements)),
                    None => Some(element(elements, 0)),
                    Some(n) => Some(element(elements, n.parse().ok()?)),
                }
            }
        }
    }
}
