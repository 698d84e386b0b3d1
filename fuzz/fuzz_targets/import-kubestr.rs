//! Reads arbitrary bytes as a file of the format `kubestr`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::one_format("kubestr", data));
