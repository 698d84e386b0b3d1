//! Client libraries that are loaded when needed, so that neither builds nor machines require them.

use std::ffi::{CStr, c_void};
use std::io;

/// A library that stays loaded until the process ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Library {
    handle: *mut c_void,
}

/// Checks that libraries can be loaded.
///
/// # Errors
/// [`io::ErrorKind::Unsupported`] in a static build.
pub(crate) fn needs_loader() -> io::Result<()> {
    // The loader's message, "Dynamic loading not supported", does not help the user.
    if cfg!(target_feature = "crt-static") {
        let reason = "this build is static and cannot load libraries; use the dynamic build";
        return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    }
    Ok(())
}

impl Library {
    /// Loads the first of these libraries that exists.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] if none exists, with the loader's message for the first one.
    pub(crate) fn open(names: &[&CStr]) -> io::Result<Library> {
        needs_loader()?;
        let mut first = None;
        for name in names {
            // SAFETY: the name is a C string; loading runs the library's constructors, as intended.
            let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
            if !handle.is_null() {
                return Ok(Library { handle });
            }
            first.get_or_insert_with(last_error);
        }
        Err(io::Error::new(io::ErrorKind::Unsupported, first.unwrap_or_default()))
    }

    /// Returns the address of a function.
    ///
    /// # Errors
    /// If the library has no function of this name.
    pub(crate) fn symbol(self, name: &CStr) -> io::Result<*mut c_void> {
        // SAFETY: the handle is of a loaded library and the name a C string.
        let at = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        if at.is_null() { Err(io::Error::other(last_error())) } else { Ok(at) }
    }
}

/// Returns the loader's message about its last failure.
pub(crate) fn last_error() -> String {
    // SAFETY: returns null or a C string that is valid until the next call of the family on this thread.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the library cannot be loaded".into();
    }
    // SAFETY: not null, see above.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Defines a table of a library's functions: `functions! { Name { field = c"symbol": fn(..) -> .., } }`, with
/// `Name::load(Library)`. The types must match those in the library's header.
macro_rules! functions {
    ($name:ident { $($field:ident = $symbol:literal: fn($($argument:ty),*) $(-> $returns:ty)?,)* }) => {
        #[derive(Clone, Copy)]
        struct $name {
            $($field: unsafe extern "C" fn($($argument),*) $(-> $returns)?,)*
        }

        impl $name {
            fn load(library: $crate::linux::queues::library::Library) -> std::io::Result<Self> {
                Ok($name {
                    $($field: {
                        let at = library.symbol($symbol)?;
                        // SAFETY: the symbol is a function of this type in the library's header.
                        unsafe {
                            std::mem::transmute::<
                                *mut std::ffi::c_void,
                                unsafe extern "C" fn($($argument),*) $(-> $returns)?,
                            >(at)
                        }
                    },)*
                })
            }
        }
    };
}
pub(super) use functions;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_unsupported_and_a_static_build_says_that_it_is_one() {
        let error = Library::open(&[c"libsecchi-none.so.0"]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
        let word = if cfg!(target_feature = "crt-static") { "static" } else { "libsecchi-none" };
        assert!(error.to_string().contains(word), "{error}");
    }
}
