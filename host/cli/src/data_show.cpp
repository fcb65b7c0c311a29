// data_show.cpp: broch data show: the first points of a dataflow.
#include <cmath>
#include <cstdio>
#include <iostream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "data/component_facts.hpp"
#include "data/contact_sheet.hpp"
#include "data/flow.hpp"
#include "data_commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "runs/picture_file.hpp"

namespace broch::cli {
namespace {

struct ShowOptions {
  session::SetupOptions setup;
  int64_t limit = 3, skip = 0;
  std::string images;  // file; "": none
  bool json = false;
};

struct ShownPoint {
  int64_t index;
  std::string key, cursor;  // "": none
  std::vector<data::ComponentFacts> components;
};

// 16 hexadecimal digits.
std::string key_of(const runtime::Point& point) {
  if (point.key == 0) return "";
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(point.key));
  return digits;
}

// A cursor is whatever bytes a dataflow chose.
std::string cursor_of(const runtime::Point& point) {
  if (!point.has_cursor) return "";
  const bool is_text = base::is_utf8(point.cursor) &&
                       point.cursor.find('\0') == std::string::npos && point.cursor.size() <= 32;
  return is_text ? point.cursor : base::counted(int64_t(point.cursor.size()), "byte");
}

Value to_json(const data::ComponentFacts& facts) {
  Value::Array dimensions, elements;
  for (const int64_t dimension : facts.shape.span()) dimensions.push_back(integer(dimension));
  for (const double value : facts.values) elements.push_back(number(value));
  Value whole = object({{"name", text_or_null(facts.name)},
                        {"dtype", text(runtime::dtype_name(facts.dtype))},
                        {"shape", Value(std::move(dimensions))},
                        {"min", number(facts.min)},
                        {"max", number(facts.max)},
                        {"mean", number(facts.mean)},
                        {"not_finite", integer(facts.not_finite)}});
  if (!facts.values.empty()) whole.set("values", Value(std::move(elements)));
  return whole;
}

// min, max, mean, values
std::vector<std::string> cells_of(const data::ComponentFacts& facts) {
  std::vector<std::string> cells, few;
  for (const double value : {facts.min, facts.max, facts.mean})
    cells.push_back(std::isnan(value) ? "" : base::general(value, 5));
  for (const double value : facts.values) few.push_back(base::general(value, 5));
  const bool lacks = few.empty() && facts.not_finite > 0;
  cells.push_back(lacks ? std::to_string(facts.not_finite) + " not finite" : base::join(few, " "));
  return cells;
}

Value to_json(const ShownPoint& point) {
  Value::Array components;
  for (const data::ComponentFacts& one : point.components) components.push_back(to_json(one));
  return object({{"index", integer(point.index)},
                 {"key", text_or_null(point.key)},
                 {"cursor", text_or_null(point.cursor)},
                 {"components", Value(std::move(components))}});
}

void print_table(const std::vector<ShownPoint>& points) {
  Table table({"point", "key", "cursor", "component", "type", "min", "max", "mean", "values"});
  for (const ShownPoint& point : points) {
    std::vector<std::string> row{std::to_string(point.index), point.key, point.cursor};
    for (size_t i = 0; i < point.components.size(); ++i) {
      const data::ComponentFacts& one = point.components[i];
      row.push_back(one.name.empty() ? std::to_string(i) : one.name);
      row.push_back(runtime::type_text(one.dtype, one.shape));
      for (const std::string& cell : cells_of(one)) row.push_back(cell);
      table.add(row);
      row.assign(3, "");
    }
  }
  table.print();
}

struct Shown {
  std::vector<ShownPoint> points;
  int64_t read = 0;    // points, with those that were skipped
  bool ended = false;  // there are no more
};

// Images are added to the sheet if they are to be drawn.
Shown read_points(data::FlowReader& reader, const ShowOptions& options, data::ContactSheet& sheet) {
  Shown shown;
  runtime::Point point;
  while (shown.read < options.skip + options.limit) {
    if (!reader.next(point)) {
      shown.ended = true;
      break;
    }
    const int64_t index = shown.read++;
    if (index < options.skip) continue;
    ShownPoint& one =
        shown.points.emplace_back(ShownPoint{index, key_of(point), cursor_of(point), {}});
    for (size_t i = 0; i < point.size(); ++i) {
      one.components.push_back(data::facts_of(point.name(i), point.tensor(i)));
      if (!options.images.empty()) sheet.add(point.tensor(i));
    }
  }
  return shown;
}

// use: of the dataflow. size: of a round.
void print_shown(const Shown& shown, const std::string& use, std::optional<int64_t> size,
                 bool json) {
  if (json) {
    Value::Array all;
    for (const ShownPoint& one : shown.points) all.push_back(to_json(one));
    print_json(object({{"component", text(use)},
                       {"size", integer(size)},
                       {"points", Value(std::move(all))},
                       {"ended", Value(shown.ended)}}));
  } else {
    if (!shown.points.empty()) print_table(shown.points);
    std::cout << use << ": "
              << (size ? base::counted(*size, "point") + " per round" : "of unknown size") << '\n';
  }
  if (shown.ended) base::info("the data ends after " + base::counted(shown.read, "point"));
}

void draw_images(const data::ContactSheet& sheet, const std::string& file) {
  if (sheet.size() == 0)
    base::fail(base::Exit::data, file, "no component that can be drawn as an image",
               "uint8 (height, width, channels) or float32 (channels, height, width)",
               "decode the images in the dataflow");
  sheet.write(file);
  base::info("wrote " + base::counted(int64_t(sheet.size()), "image") + " to " + file);
}

int show(const ShowOptions& options) {
  if (!options.images.empty()) runs::require_replaceable_picture(options.images);
  data::Flow flow(options.setup);
  data::FlowReader reader(flow, flow.component());
  const std::optional<int64_t> size = reader.size();
  data::ContactSheet sheet;
  print_shown(read_points(reader, options, sheet), flow.component().use, size, options.json);
  if (!options.images.empty()) draw_images(sheet, options.images);
  return 0;
}

}  // namespace

void add_data_show(CLI::App& group, int& exit_code) {
  static ShowOptions options;
  CLI::App* command = group.add_subcommand("show", "Show the first points of a dataflow");
  add_flow_options(*command, options.setup);
  command->add_option("--limit", options.limit, "Number of points")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}))
      ->capture_default_str();
  command->add_option("--skip", options.skip, "Skip this many points first")
      ->check(CLI::Range(int64_t{0}, int64_t{1'000'000'000'000}));
  command->add_option("--images", options.images,
                      "Draw all images side by side into this PNG file");
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = show(options); });
}

}  // namespace broch::cli
