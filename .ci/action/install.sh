#!/usr/bin/env bash
# Puts the midwire of a release, whose checksum is right, into the PATH of the
# steps that follow. A midwire that is in the PATH already is taken as it is.
set -euo pipefail
if command -v midwire > /dev/null; then
  midwire --version
  exit
fi
version=${MIDWIRE_VERSION:-latest}
base=${MIDWIRE_DOWNLOADS:-https://github.com/${MIDWIRE_REPOSITORY:?}/releases}
if [ "$version" = latest ]; then
  url=$(curl -fsSL -o /dev/null -w '%{url_effective}' "$base/latest")
  version=${url##*/}
fi
case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) os=windows ;;
esac
case $(uname -m) in
  arm64 | aarch64) arch=arm64 ;;
  *) arch=amd64 ;;
esac
file=midwire_${version#v}_${os}_$arch.$([ $os = windows ] && echo zip || echo tar.gz)
dir=${RUNNER_TEMP:-/tmp}/midwire-$version
mkdir -p "$dir"
cd "$dir"
curl -fsSLO "$base/download/$version/$file"
curl -fsSLO "$base/download/$version/checksums.txt"
sum=$(command -v sha256sum || echo shasum -a 256)
grep " $file\$" checksums.txt | $sum -c - || {
  echo "midwire: $file of $version is not what checksums.txt says; nothing was installed" >&2
  exit 1
}
case $file in
  *.zip) unzip -qo "$file" ;;
  *) tar xzf "$file" ;;
esac
echo "$dir" >> "$GITHUB_PATH"
./midwire --version
