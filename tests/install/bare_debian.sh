#!/usr/bin/env bash
# Tests the Debian package on a minimal system: installing it; the program finds its profiles; man pages and
# completion work; programs in C and C++ build with it; purging it removes everything. Run by `./dev package`;
# needs root, debootstrap and the network.
#
#   bare_debian.sh tessera_VERSION_amd64.deb EXAMPLES_FOLDER NEW_FOLDER
set -euo pipefail
package=$1
examples=$2
root=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { printf '\n== %s\n' "$*" >&2; }
inside() {
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}

say "a bare Debian in $root"
debootstrap --variant=minbase bookworm "$root" >"$root.log"
trap 'rm -rf "$root" "$root.log"' EXIT
[ ! -d /etc/apt/apt.conf.d ] || cp -n /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
inside apt-get update -qq
inside sh -c '! command -v cc'
mkdir -p "$root/root/work"
cp "$package" "$root/root/tessera.deb"
cp "$examples"/residual-block.csv "$examples"/fsrcnn_x2_360p.onnx "$here"/consumer/main.c \
  "$here"/consumer/main.cpp "$root/root/work"

say "install"
inside apt-get install -y -qq --no-install-recommends /root/tessera.deb >/dev/null
inside sh -ec '
  cd /root/work
  tessera --version
  tessera profiles | grep nvdla-like
  tessera place residual-block.csv -c "1 MiB" -o placed.json
  tessera check residual-block.csv placed.json -c "1 MiB"
  tessera plan fsrcnn_x2_360p.onnx --dtype int8 -p ethos-u65-like -t 20s -q -o plan.json
  tessera check fsrcnn_x2_360p.onnx plan.json -p ethos-u65-like
  test -s /usr/share/bash-completion/completions/tessera
  test -s /usr/share/zsh/site-functions/_tessera
  test -s /usr/share/fish/vendor_completions.d/tessera.fish
  dpkg -L tessera | grep /man1/tessera-place.1'

say "programs in C and C++"
inside apt-get install -y -qq --no-install-recommends g++ pkg-config libc6-dev >/dev/null
inside sh -ec '
  cd /root/work
  gcc -std=c99 -Wpedantic main.c $(pkg-config --cflags --libs tessera) -o in-c && ./in-c
  g++ -std=c++20 main.cpp $(pkg-config --cflags --libs tessera) -o in-cpp
  ./in-cpp fsrcnn_x2_360p.onnx ethos-u65-like'

say "purge"
inside dpkg -L tessera | LC_ALL=C sort >"$root/root/files"
inside apt-get purge -y -qq tessera >/dev/null
left=$(while read -r file; do
  [ -d "$root$file" ] && case $file in */tessera*) ;; *) continue ;; esac
  [ ! -e "$root$file" ] || echo "$file"
done <"$root/root/files")
[ -z "$left" ] || { printf 'purging left:\n%s\n' "$left" >&2; exit 1; }
! inside dpkg -s tessera >/dev/null 2>&1
say "the package of $(basename "$package") installs on a bare Debian, works and leaves nothing"
