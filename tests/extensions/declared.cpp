// declared.cpp: components whose options are structs, with every type of field. They log what they
// read.
#include <broch/broch.hpp>
#include <limits>

namespace {

enum class Color { red, green };

struct Layer {
  int64_t units;
  std::optional<std::string> name;

  static constexpr auto schema =
      broch::options(broch::option("units", &Layer::units, "Width.").minimum(1),
                     broch::option("name", &Layer::name));
};

struct Base {
  bool flag;

  static constexpr auto schema =
      broch::options(broch::option("flag", &Base::flag, "Of the \"base\".\n").by_default(true));
};

struct Options : Base {
  int64_t big;
  uint8_t small;
  double number, tiny, huge;
  float half;
  std::string text, path;
  Color color;
  std::optional<Color> shade;
  std::optional<int64_t> count;
  std::vector<bool> flags;
  std::vector<std::string> words;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<std::array<double, 2>> pairs;
  std::vector<Color> colors;
  Layer first;
  std::vector<Layer> layers;
  std::string absent = "initial";
  broch::JsonText any;
  broch::ChildDataFlow flow;
  std::optional<broch::ChildDataFlow> other;
  std::vector<broch::Child<broch_inferencer>> inferencers;
  broch::ChildFunction function;

  static constexpr auto schema = broch::options(
      Base::schema, broch::option("big", &Options::big).by_default(INT64_MIN),
      broch::option("small", &Options::small).by_default(7),
      broch::option("number", &Options::number).above(-0.5).below(2).by_default(0.1).is_mutable(),
      broch::option("tiny", &Options::tiny).by_default(-2.5e-12),
      broch::option("huge", &Options::huge).by_default(3e22),
      broch::option("half", &Options::half).maximum(1).by_default(0.5).unit("seconds"),
      broch::option("text", &Options::text)
          .min_length(1)
          .max_length(9)
          .pattern("^[^\\\\]+$")
          .by_default("tab\t\"q\""),
      broch::option("path", &Options::path).is_path().by_default("x"),
      broch::option("color", &Options::color).one_of("red", "green").by_default("green"),
      broch::option("shade", &Options::shade).one_of(nullptr, "red", "green"),
      broch::option("count", &Options::count).minimum(1),
      broch::option("flags", &Options::flags).by_default(true, false),
      broch::option("words", &Options::words).max_items(3).min_length(1).by_default(),
      broch::option("shapes", &Options::shapes).min_items(1).minimum(0),
      broch::option("pairs", &Options::pairs).by_default(),
      broch::option("colors", &Options::colors).one_of("red", "green").by_default("green", "red"),
      broch::option("first", &Options::first, "A layer."),
      broch::option("layers", &Options::layers).by_default(),
      broch::option("absent", &Options::absent).may_be_absent(),
      broch::option("any", &Options::any)
          .schema(R"("type": ["object", "null"], "additionalProperties": true)")
          .by_default(nullptr),
      broch::option("flow", &Options::flow).same_seed(), broch::option("other", &Options::other),
      broch::option("inferencers", &Options::inferencers).by_default(),
      broch::option("function", &Options::function).by_default("value + 1"));
};

std::string shown(bool value) { return value ? "true" : "false"; }
std::string shown(int64_t value) { return std::to_string(value); }
std::string shown(double value) { return broch::number_text(value); }
std::string shown(const std::string& text) { return broch::json_text(text); }
std::string shown(Color color) { return shown(int64_t(color)); }
std::string shown(const Layer& layer);
template <class T>
std::string shown(const std::optional<T>& value) {
  return value ? shown(*value) : "null";
}
template <class List>
std::string list(const List& values) {
  std::string text;
  for (const auto& value : values) {
    text += text.empty() ? "[" : ",";
    if constexpr (std::is_same_v<List, std::vector<std::vector<int64_t>>> ||
                  std::is_same_v<List, std::vector<std::array<double, 2>>>)
      text += list(value);
    else
      text += shown(value);
  }
  return text.empty() ? "[]" : text + "]";
}
std::string shown(const Layer& layer) {
  return "[" + shown(layer.units) + "," + shown(layer.name) + "]";
}

class Declared final : public broch::Callback {
 public:
  Declared(const broch::Host& host, const Options& o) : host_(host), options_(o) {}

  void before_train() override {
    const Options& o = options_;
    std::string text = "{";
    const auto add = [&](const char* name, const std::string& value) {
      text += (text.size() > 1 ? ",\"" : "\"") + std::string(name) + "\":" + value;
    };
    add("flag", shown(o.flag));
    add("big", shown(o.big));
    add("small", shown(int64_t(o.small)));
    add("number", shown(o.number));
    add("tiny", shown(o.tiny));
    add("huge", shown(o.huge));
    add("half", shown(double(o.half)));
    add("text", shown(o.text));
    add("path", shown(o.path));
    add("color", shown(o.color));
    add("shade", shown(o.shade));
    add("count", shown(o.count));
    add("flags", list(o.flags));
    add("words", list(o.words));
    add("shapes", list(o.shapes));
    add("pairs", list(o.pairs));
    add("colors", list(o.colors));
    add("first", shown(o.first));
    add("layers", list(o.layers));
    add("absent", shown(o.absent));
    add("any", o.any.text);
    add("flow", shown(o.flow.size().value_or(-1)));
    add("other", o.other ? shown(o.other->size().value_or(-1)) : "null");
    add("inferencers", shown(int64_t(o.inferencers.size())));
    add("function", shown(o.function.call(broch::Run(host_).progress(), 1).value_or(-1)));
    host_.info("read " + text + "}");
    host_.info("again " + shown(broch::read<Options>(host_).number));
  }

 private:
  broch::Host host_;
  Options options_;
};

// One struct, two schemas.
struct Size {
  int64_t size;

  static constexpr auto kSize = broch::option("size", &Size::size, "Points.");
  static constexpr auto schema = broch::options(kSize.by_default(2));
  static constexpr auto large_schema = broch::options(kSize.by_default(3));
};

class Points final : public broch::DataFlow {
 public:
  explicit Points(const Size& options) : size_(options.size) {}
  void open(const std::string&) override { next_ = 0; }
  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    if (next_ == size_) return false;
    point.add(std::vector<float>{float(next_++)}, {});
    return true;
  }
  std::optional<int64_t> size() override { return size_; }

 private:
  int64_t size_, next_ = 0;
};

class Silent final : public broch::Callback {
 public:
  explicit Silent(const broch::Host&) {}
};

}  // namespace

BROCH_COMPONENTS(
    broch::component<Declared>("test.declared", "callback", "1.2.3", "Says \"all\".",
                               broch::produces("{text}_a", "b"), Options::schema, broch::consumes(),
                               broch::requires_ext(BROCH_EXT_PROGRESS), broch::roles("callback"),
                               broch::run_on("all"), broch::member("x-more", "[1, {}]")),
    broch::component<Points>("test.points", "dataflow", "1.0.0", "Counts.", Size::schema),
    broch::component<Points>("test.more-points", "dataflow", "1.0.0", "Counts.",
                             Size::large_schema),
    broch::component<Silent>("test.silent", "callback", "1.0.0", "Has no options."),
    broch::component<Silent>("test.text", "callback", "1.0.0", "Has a text.",
                             R"({"type": "object", "properties": {"a": {"default": 1}}})"))
