// dataset_test.cpp: components from several files, rows that are chosen, options that do not fit.
#include <cmath>
#include <cstring>
#include <limits>

#include "support.hpp"

using namespace arrays;
using support::dict;
using support::Folder;
using support::npy;

namespace {

ColumnOptions column(const std::string& file) {
  ColumnOptions options;
  options.file = file;
  return options;
}

std::vector<float> floats(const Column& column) {
  std::vector<float> values(column.bytes.size() / sizeof(float));
  std::memcpy(values.data(), column.bytes.data(), column.bytes.size());
  return values;
}

std::string double_bytes(double value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

using Rows = std::vector<uint64_t>;

}  // namespace

TEST_CASE("dataset: filters apply one after another to the rows that are left") {
  CHECK(select_rows(7, {}) == Rows{0, 1, 2, 3, 4, 5, 6});
  CHECK(select_rows(12, {{5, 4, true}}) == Rows{4, 9});
  CHECK(select_rows(12, {{5, 4, false}}) == Rows{0, 1, 2, 3, 5, 6, 7, 8, 10, 11});
  CHECK(select_rows(12, {{5, 4, false}, {3, 1, true}}) == Rows{1, 5, 8});
  CHECK(select_rows(12, {{5, 4, false}, {3, 1, false}}) == Rows{0, 2, 3, 6, 7, 10, 11});
  CHECK(select_rows(3, {{5, 4, true}}).empty());
}

TEST_CASE("dataset: two components of one file, scaled and as a scalar") {
  const Folder folder;
  const std::string file = folder.write("a.csv", "4,8,1\n12,16,0\n");
  ColumnOptions image = column(file), label = column(file);
  image.columns = {0, 2};
  image.shape = {1, 2, 1};
  image.scale = 0.25;
  label.columns = {2, 1};
  label.shape = std::vector<int64_t>{};
  label.element = Element::int64;
  const Dataset dataset = read_dataset({image, label}, {});
  CHECK(dataset.columns[0].shape == std::vector<int64_t>{1, 2, 1});
  CHECK(floats(dataset.columns[0]) == std::vector<float>{1, 2, 3, 4});
  CHECK(dataset.columns[1].shape.empty());
  CHECK(dataset.columns[1].row_bytes == 8);
  CHECK(dataset.columns[1].bytes[0] == 1);
}

TEST_CASE("dataset: columns by name, in the order of the option; the others may hold text") {
  const Folder folder;
  const std::string file = folder.write("a.csv", "x,kind,\"y\"\n1,oak,2\n3,\"ash, elm\",4\n");
  ColumnOptions both = column(file), one = column(file);
  both.names = {"y", "x"};
  one.names = {"x"};
  one.shape = std::vector<int64_t>{};
  const Dataset dataset = read_dataset({both, one}, {});
  CHECK(dataset.columns[0].shape == std::vector<int64_t>{2});
  CHECK(floats(dataset.columns[0]) == std::vector<float>{2, 1, 4, 3});
  CHECK(floats(dataset.columns[1]) == std::vector<float>{1, 3});
  ColumnOptions last = column(file);
  last.header = true;
  last.columns = {2, 1};
  CHECK(floats(read_dataset({last}, {}).columns[0]) == std::vector<float>{2, 4});
}

TEST_CASE("dataset: a column that is wanted and holds text, or is not there, is named") {
  const Folder folder;
  const std::string file = folder.write("a.csv", "x,kind,x\n1,oak,2\n");
  const auto refused = [&](std::vector<std::string> names, const support::Expected& wanted) {
    ColumnOptions fine = column(file), options = column(file);
    fine.columns = {0, 1};
    fine.header = true;
    options.names = std::move(names);
    support::check_refusal(wanted.found, support::refusal([&] {
                             read_dataset({fine, options}, {});
                           }),
                           wanted);
  };
  refused({"kind"}, {"/components/0/file: .*a.csv: line 2, column 2 \\('kind'\\)", "'oak'",
                     "a number", "leave the column out"});
  refused({"leaf"},
          {"/components/1/columns: .*a.csv", "no column 'leaf'", "'x', 'kind'", "columns"});
  refused({"x"}, {"/components/1/columns: .*a.csv", "several columns 'x'", "one of", "rename"});
}

TEST_CASE("dataset: components of several files keep their places") {
  const Folder folder;
  const std::string first = folder.write("a.csv", "1\n2\n");
  const Dataset dataset =
      read_dataset({column(first), column(folder.write("b.csv", "3\n4\n")), column(first)}, {});
  CHECK(floats(dataset.columns[0]) == floats(dataset.columns[2]));
  CHECK(floats(dataset.columns[1]) == std::vector<float>{3, 4});
}

TEST_CASE("dataset: a vector in Fortran order") {
  const Folder folder;
  const std::string data = double_bytes(1) + double_bytes(2);
  const ColumnOptions options =
      column(folder.write("a.npy", npy(dict("<f8", "(2,)", "True"), data)));
  const Dataset dataset = read_dataset({options}, {});
  const std::vector<char>& bytes = dataset.columns[0].bytes;
  CHECK(std::string(bytes.begin(), bytes.end()) == data);
}

TEST_CASE("dataset: a number that is too small is zero") {
  const Folder folder;
  const ColumnOptions options = column(folder.write("a.csv", "1e-400,-1E-60,2\n"));
  CHECK(floats(read_dataset({options}, {}).columns[0]) == std::vector<float>{0, 0, 2});
}

TEST_CASE("dataset: an empty cell is refused unless NaN was asked for") {
  const Folder folder;
  ColumnOptions options = column(folder.write("a.csv", "1,2\n,NaN\n"));
  support::check_refusal("empty", support::refusal([&] { read_dataset({options}, {}); }),
                         {".*a.csv: line 2, column 1", "no number", "a number", "missing"});
  options.missing = true;
  const std::vector<float> values = floats(read_dataset({options}, {}).columns[0]);
  CHECK(values[1] == 2);
  CHECK(std::isnan(values[2]));
  CHECK(std::isnan(values[3]));
}

TEST_CASE("dataset: NaN of a .npy file is refused unless it was asked for") {
  const Folder folder;
  const std::string data = double_bytes(1) + double_bytes(std::nan(""));
  ColumnOptions options = column(folder.write("a.npy", npy(dict("<f8", "(1, 2)"), data)));
  support::check_refusal("NaN", support::refusal([&] { read_dataset({options}, {}); }),
                         {".*a.npy: row 0, element 1", "NaN", "a number", "missing"});
  options.missing = true;
  CHECK(read_dataset({options}, {}).rows.size() == 1);
}

TEST_CASE("dataset: files that do not fit the options or each other") {
  const Folder folder;
  const std::string two = folder.write("two.csv", "1,2\n3,4\n"),
                    one = folder.write("one.csv", "1\n");
  const auto refused = [](const std::vector<ColumnOptions>& components,
                          const support::Expected& wanted,
                          const std::vector<Filter>& filters = {}) {
    support::check_refusal(wanted.found,
                           support::refusal([&] { read_dataset(components, filters); }), wanted);
  };
  refused({column(two), column(one)}, {".*one.csv", "1 row", "2 as in .*two.csv", "same rows"});
  refused({column(folder / "none.csv")}, {".*none.csv", "no such file", "be read", "check"});
  refused({column(folder / "")}, {".*/", ".", "can be read", "check the path"});
  refused({column(two)}, {".*two.csv", "no row left by select of 2", "one", "select"},
          {{3, 2, true}});
  ColumnOptions wide = column(two), shaped = column(two);
  wide.columns = {1, 2};
  refused({wide}, {".*two.csv", "2 columns", "columns \\[1, 2\\]", "count from 0"});
  wide.columns = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max()};
  refused({wide}, {".*two.csv", "2 columns", "columns \\[922", "count from 0"});
  shaped.shape = {3};
  refused({shaped}, {".*two.csv", "2 elements in each row", "shape \\[3\\]", "shape"});
  shaped.shape = {int64_t(1) << 62, 8};
  refused({shaped}, {".*two.csv", "2 elements in each row", "shape \\[461", "shape"});
}

TEST_CASE("dataset: values that the element type cannot hold") {
  const Folder folder;
  const auto refused = [&](const std::string& text, Element element, const std::string& found) {
    ColumnOptions options = column(folder.write("a.csv", "0\n" + text + "\n"));
    options.element = element;
    support::check_refusal(
        text, support::refusal([&] { read_dataset({options}, {}); }),
        {".*a.csv: line 2, column 1", found, facts(element).name, "another dtype"});
  };
  refused("0.5", Element::int64, "0.5");
  refused("128", Element::int8, "128");
  refused("-1", Element::uint8, "-1");
  refused("2", Element::boolean, "2");
  refused("2147483648", Element::int32, "2147483648");
  refused("9007199254740994", Element::int64, "9007199254740994");
  refused("1e300", Element::float32, "1e\\+300");
}

TEST_CASE("dataset: options that contradict each other") {
  const auto refused = [](const ColumnOptions& options, const support::Expected& wanted) {
    support::check_refusal(wanted.found,
                           support::refusal([&] { check_options(options, "/components/0"); }),
                           wanted, BROCH_E_INVALID_ARGUMENT);
  };
  refused(column("a.txt"), {"/components/0/file", "'a.txt'", ".npy or .csv", "convert"});
  ColumnOptions options = column("a.npy");
  options.columns = {0, 1};
  refused(options, {"/components/0", "for a .npy", "a .csv file only", "remove"});
  options = column("a.csv");
  options.columns = {0, 0};
  refused(options, {"/components/0/columns", "\\[0, 0\\]", "from 1", "correct"});
  options = column("a.npy");
  options.scale = 0.5;
  refused(options, {"/components/0/scale", "0.5", "floating", "float32"});
  options = column("a.csv");
  options.element = Element::int64;
  options.missing = true;
  refused(options, {"/components/0/missing", "nan", "floating", "float32"});
  support::check_refusal("offset", support::refusal([] {
                           check_filter({5, 5, true}, "/select/0");
                         }),
                         {"/select/0", "offset 5", "less than every", "from 0"},
                         BROCH_E_INVALID_ARGUMENT);
}
