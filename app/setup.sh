# Sourced by ./run and ./check: what must be installed, and how to build. Quiet when there is
# nothing to do.

root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"

# One package a line, with its purpose; the README's table says why each was chosen.
packages_for() {
  case "$1" in
    build) cat <<'LIST' ;;
g++                     # compiler
cmake                   # build
ninja-build             # build
pkg-config              # finds Graphviz
llvm-19-dev             # machine code
libgraphviz-dev         # graph layout
graphviz                # its layout plugins
nlohmann-json3-dev      # JSON
libonnx-dev             # models
libprotobuf-dev         # models
protobuf-compiler       # models
libfmt-dev              # formatting
libisl-dev              # exact dependence analysis
libxgboost-dev          # learned cost models
libnats-dev             # farms of machines that measure
libcli11-dev            # command line
libgtest-dev            # tests (built with everything else)
libgmock-dev            # tests
libvalijson-dev         # tests
LIST
    window) cat <<'LIST' ;;
qt6-base-dev            # window
qt6-charts-dev          # charts
qt6-svg-dev             # icons, exported drawings
libqt6opengl6-dev       # wanted by Qt Charts' package
libgl-dev               # wanted by Qt
libqscintilla2-qt6-dev  # text panes
fonts-dejavu-core       # a font where there is none
LIST
    test) cat <<'LIST' ;;
libonnx-testdata        # the ONNX operator suite
libdnnl-dev             # oneDNN, a peer that kernels are measured against
nats-server             # a farm's server
clang-format-14         # the sources follow .clang-format
xvfb                    # the window is tested on a display
openbox                 # with a window manager
xdotool                 # by mouse and keys
imagemagick             # and looked at
chromium                # exported pages are opened in it
poppler-utils           # exported PDF files are read
LIST
    fuzz) cat <<'LIST' ;;
clang-19                # fuzzing: libFuzzer needs its compiler
libclang-rt-19-dev      # fuzzing: libFuzzer, sanitizers
LIST
  esac
}

# install_packages GROUP...: installs those packages of the groups that are missing.
install_packages() {
  local missing=() package
  while read -r package _; do
    [ -n "$package" ] || continue
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
      missing+=("$package")
  done < <(for group in "$@"; do packages_for "$group"; done)
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "These packages are missing and installing them needs root: ${missing[*]}" >&2
      exit 1
    }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >"${TMPDIR:-/tmp}/loopglass-apt.log" 2>&1 || {
      tail -n 20 "${TMPDIR:-/tmp}/loopglass-apt.log" >&2
      echo "apt-get could not install the packages above" >&2
      exit 1
    }
}

# build PRESET [TARGET...]: configures if need be and builds. Quiet when there is nothing to do; where
# it takes long it says how far it is, in one line on a terminal, else in a line a minute.
build() {
  local preset="$1" log complete
  shift
  mkdir -p "$root/build"
  log="$root/build/$preset.log"
  if [ ! -f "$root/build/$preset/build.ninja" ]; then
    echo "configuring build/$preset"
    (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 || { tail -n 40 "$log" >&2; exit 1; }
  fi
  complete="$*"
  complete="$root/build/$preset/.complete-${complete// /-}"
  [ -f "$complete" ] || echo "building build/$preset (the first time takes some minutes)"
  if [ -t 1 ] && [ ! -f "$complete" ]; then
    # Somebody is watching: ninja's own line.
    ninja -C "$root/build/$preset" "$@" || exit 1
  else
    local teller good=true
    tell_progress "$log" &
    teller=$!
    ninja -C "$root/build/$preset" "$@" >"$log" 2>&1 || good=false
    kill "$teller" 2>/dev/null || true
    $good || { grep -v '^\[' "$log" | tail -n 60 >&2; exit 1; }
  fi
  touch "$complete"
}

# tell_progress LOG: a line a minute, from what ninja writes there, until it is killed or its parent
# is gone.
tell_progress() {
  local steps
  # A wait that leaves no process behind.
  while ! read -rt 60 _ <> <(:) && kill -0 $$ 2>/dev/null; do
    steps="$(grep -o '^\[[0-9]*/[0-9]*\]' "$1" | tail -n 1 | tr -d '[]')"
    [ -z "$steps" ] || echo "  ${steps%/*} of ${steps#*/} steps"
  done
}
