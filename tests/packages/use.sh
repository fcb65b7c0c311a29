# Sourced: a Broch that was installed from a package is used from a folder that has nothing to do
# with it. Its program is $broch, its prefix $installed, a Python with its package "${python[@]}".

fail() { echo "package: $*" >&2; exit 1; }

# quietly FILE COMMAND...: the output is shown if the command fails.
quietly() {
  local file=$1
  shift
  "$@" > "$file" 2>&1 || { cat "$file"; fail "$* has failed"; }
}

# The one on the PATH may be another than that of the Debian packages.
python_with_pandas() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import pandas, venv' 2> /dev/null && { echo "$python"; return; }
  done
  fail "no python3 with pandas, expected the packages of tools/packages"
}

train_digits() {
  quietly env.txt "$broch" env
  grep -q '^libtorch: LibTorch 2.11' env.txt || { cat env.txt; fail "LibTorch is not found"; }
  quietly train.txt "$broch" train "$installed/share/broch/samples/digits/layers.json" max_epoch=2 \
    '~callbacks[test]'
  quietly plot.txt "$broch" run plot train_log/digits -o digits.png
  head -c 4 digits.png | grep -q PNG || fail "digits.png is no picture"
}

build_plugin() {
  quietly new.txt "$broch" plugin new model net --dir net
  quietly cmake.txt cmake -S net -B net/build -DCMAKE_PREFIX_PATH="$installed"
  quietly build.txt cmake --build net/build
  quietly net.txt "$broch" train net/net.json max_epoch=1 log_dir=net/log
  quietly check.txt "$broch" plugin check net/build/net.so
}

# Libraries of others are opened with the plugins that need them.
open_plugins() {
  local component
  for component in decode-image lmdb wav zmq hdf5; do
    quietly inspect.txt "$broch" plugin inspect "$component"
  done
}

use_all() {
  local here=$1 work=$2
  mkdir "$work/elsewhere"
  cd "$work/elsewhere"
  train_digits
  build_plugin
  open_plugins
  "${python[@]}" "$here/python_test.py"
}
