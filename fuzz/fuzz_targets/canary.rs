//! A planted panic behind four bytes. `canary.sh` fails unless the fuzzer finds it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let [b'c', b'a', b'g', b'e', ..] = bytes {
        panic!("planted panic");
    }
});
