#!/usr/bin/env bash
# The pure crates and everything they depend on build against a sysroot that holds `core` alone: no heap, no clock, no
# socket can be reached, because no crate that has them can be named. What is left is a foreign function in a
# dependency (our own crates forbid unsafe code), so the built libraries are also asked which symbols they want.
#
# Two controls for each crate must fail with E0463 (no such crate): `extern crate alloc` and `extern crate std`, each
# appended to a scratch copy. Exit 77 where the installed toolchain has no `core` for the host.
set -euo pipefail
cd "$(dirname "$0")/.."

CRATES="wire venues book policies"
# What the compiler itself calls: copies and comparisons, which `core` requires of every platform, and 128-bit
# arithmetic of its own library.
WANTED_BY_THE_COMPILER='^(memcpy|memmove|memset|memcmp|bcmp|_GLOBAL_OFFSET_TABLE_|__u?(div|mod|mul)ti3)$'

root=$PWD
toolchain=$(rustc --print sysroot)
host=$(rustc -vV | sed -n 's/^host: //p')
folder=$root/target/purity
sysroot=$folder/sysroot
libraries=$sysroot/lib/rustlib/$host/lib
copy=$folder/copy

# A library's metadata stands in its .rmeta; both are needed.
rm -rf "$sysroot" "$copy"
mkdir -p "$libraries" "$copy"
for library in core compiler_builtins; do
    for kind in rlib rmeta; do
        set -- "$toolchain/lib/rustlib/$host/lib/lib$library"-*."$kind"
        [ -f "$1" ] || { echo "no lib$library.$kind for $host in $toolchain"; exit 77; }
        cp "$1" "$libraries/"
    done
done

# As in the image, a panic aborts; nothing unwinds. With --target the flags are those of the target alone: build
# scripts and procedural macros keep the host's sysroot.
against_core() { # folder, cargo's words...
    local where=$1; shift
    (cd "$where" && env -u RUSTC_WRAPPER -u CARGO_ENCODED_RUSTFLAGS RUSTFLAGS="--sysroot $sysroot" \
        CARGO_INCREMENTAL=0 \
        CARGO_PROFILE_DEV_PANIC=abort CARGO_PROFILE_DEV_DEBUG=0 \
        CARGO_TARGET_DIR="$folder/target" cargo "$@" --target "$host")
}

packages=""
for crate in $CRATES; do packages="$packages -p $crate"; done
# shellcheck disable=SC2086
against_core "$root" build --locked -q $packages
echo "$CRATES and their dependencies build against core alone"

# The libraries of this build and of no earlier one.
# shellcheck disable=SC2086
built=$(against_core "$root" build --locked -q $packages --message-format json |
    grep -o "\"$folder/target/$host/[^\"]*\.rlib\"" | tr -d '"' | sort -u)
count=$(printf '%s\n' "$built" | grep -c .)
[ "$count" -gt 4 ] || { echo "only $count libraries were built"; exit 1; }
# nm also says that the metadata inside an rlib is no object; only its standard output counts. Its plugin for bitcode
# would hide an object's symbols; cargo builds without.
symbols() { # nm's option, libraries...
    { nm -P "$@" 2>/dev/null || true; } | awk 'NF >= 2 && $1 !~ /:$/ { print $1 }' | sort -u
}
# Wanted by them, not defined by them, and not mangled as Rust's own, which the build has found.
# shellcheck disable=SC2086
if nm -P $built 2>&1 | grep "plugin has failed"; then echo "nm cannot read every object"; exit 1; fi
# shellcheck disable=SC2086
wanted=$(symbols --undefined-only $built)
# shellcheck disable=SC2086
defined=$(symbols --defined-only $built)
foreign() { # wanted, defined
    comm -23 <(echo "$1") <(echo "$2") | grep -vE "^(_R|_ZN)|$WANTED_BY_THE_COMPILER" || true
}
foreign=$(foreign "$wanted" "$defined")
[ -z "$foreign" ] || { echo "foreign functions are called:"; echo "$foreign"; exit 1; }
total=$(grep -c . <<<"$wanted")
[ "$total" -gt 100 ] || { echo "nm shows $total symbols: too few to mean anything"; exit 1; }
echo "$count libraries, $total symbols wanted, none of them foreign"

# The control of the symbols: a library of its own against core alone that asks the system for the time.
printf '%s\n' '#![no_std]' 'unsafe extern "C" { fn clock() -> i64; }' 'pub fn now() -> i64 { unsafe { clock() } }' \
    >"$folder/clock.rs"
rustc --edition 2024 --crate-type rlib -C panic=abort -C embed-bitcode=no --sysroot "$sysroot" \
    -o "$folder/libclock.rlib" "$folder/clock.rs"
found=$(foreign "$(symbols --undefined-only "$folder/libclock.rlib")" "")
[ "$found" = clock ] || { echo "CONTROL FAILED: a foreign function is not found but '$found'"; exit 1; }
echo "a foreign function is found: $found"

# The controls. Cargo wants every member of the workspace to be there.
git ls-files -z | xargs -0 cp --parents -t "$copy" 2>/dev/null
for crate in $CRATES; do
    case $crate in book) source=policies/book/src/lib.rs ;; *) source=$crate/src/lib.rs ;; esac
    for library in alloc std; do
        cp "$source" "$copy/$source"
        printf 'extern crate %s;\n' "$library" >>"$copy/$source"
        if output=$(against_core "$copy" check --locked -q -p "$crate" 2>&1); then
            echo "CONTROL FAILED: $crate with \`extern crate $library\` builds"; exit 1
        fi
        # It must fail for this reason and in this crate.
        if ! grep -qF "error[E0463]: can't find crate for \`$library\`" <<<"$output" ||
            ! grep -qF -- "--> $source" <<<"$output"; then
            echo "CONTROL FAILED: $crate with \`extern crate $library\` fails otherwise:"; echo "$output"; exit 1
        fi
        echo "$crate with \`extern crate $library\` does not build: E0463"
    done
    cp "$source" "$copy/$source"
done
# The copy itself builds, so the line that was appended is what failed.
against_core "$copy" check --locked -q -p policies
echo "the scratch copy without them builds"
