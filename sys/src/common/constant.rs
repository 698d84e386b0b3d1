//! Functions with the same result in every call.

/// Defines functions with a constant result: an error, or what always holds on this system.
macro_rules! constant {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ty),*) -> $result:ty = $value:expr;)*) => {$(
        $(#[$doc])*
        /// Returns the value that always holds on this system.
        ///
        /// # Errors
        /// `Unsupported`, unless the value is not an error.
        pub fn $name($(_: $arg),*) -> $result {
            $value
        }
    )*};
}
