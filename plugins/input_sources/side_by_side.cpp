// side_by_side.cpp: several sources give the inputs of one model, for example images with labels
// and images without them.
#include <algorithm>
#include <broch/broch.hpp>
#include <broch/cpp/names.hpp>

#include "cursors.hpp"

namespace {

struct Options {
  std::vector<broch::ChildInputSource> inputs;
  std::vector<std::vector<std::string>> names;

  static constexpr auto schema = broch::options(
      broch::option("inputs", &Options::inputs,
                    "The input sources. Each step takes a data point of each."),
      broch::option("names", &Options::names,
                    "For each source, the inputs of the model that the components of its data "
                    "points are, in their order."));
};

class SideBySide final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = 0;

  SideBySide(const broch::Host& host, const Options& options)
      : host_(host), sources_(options.inputs), names_(options.names) {
    if (sources_.empty() || sources_.size() != names_.size())
      refuse(std::to_string(sources_.size()) + " sources and names of " +
             std::to_string(names_.size()) + ": give as many of both, and at least one");
    for (const broch::ChildInputSource& source : sources_)
      if (source.flags() != 0)
        refuse(
            "one of the sources prepares its points for towers, or gets them from who runs the "
            "step: give sources that have their own, such as queues");
  }

  void setup(const broch_input_spec* inputs, uint32_t n) override {
    order_.assign(n, {});
    std::vector<bool> found(n);
    for (size_t s = 0; s < sources_.size(); ++s) {
      std::vector<broch_input_spec> own;
      for (size_t c = 0; c < names_[s].size(); ++c) {
        const uint32_t place = place_of(names_[s][c], inputs, n);
        if (found[place]) refuse("the input '" + names_[s][c] + "' comes from two places");
        found[place] = true;
        order_[place] = {s, uint32_t(c)};
        own.push_back(inputs[place]);
      }
      sources_[s].setup(own.data(), uint32_t(own.size()));
    }
    for (uint32_t i = 0; i < n; ++i)
      if (!found[i])
        refuse(std::string("no source gives the input '") + inputs[i].name +
               "': add it to the names of one");
  }

  void set_towers(uint32_t n) override {
    for (const auto& source : sources_) source.set_towers(n);
  }
  void reset_state() override {
    points_.clear();
    for (const auto& source : sources_) source.reset_state();
  }
  void resume(const std::vector<std::string>& cursors) override {
    points_.clear();
    for (size_t s = 0; s < sources_.size(); ++s) {
      std::vector<std::string> own;
      for (const std::string& cursor : cursors)
        own.push_back(cursor.empty() ? "" : broch::inputs::split(cursor, sources_.size())[s]);
      sources_[s].resume(own);
    }
  }

  bool next(uint32_t tower, const broch::Cancel& cancel, broch::PointWriter& point) override {
    while (points_.size() < sources_.size())
      if (!take(points_.size(), tower, cancel)) return false;
    std::vector<std::string> cursors;
    for (const broch::Point& own : points_) cursors.push_back(own.cursor());
    for (const Place& place : order_) points_[place.source].move(place.component, point);
    if (const uint64_t key = points_[0].key()) point.set_key(key);
    // Without one of them, a resumed run is not exact, which only a missing cursor tells.
    if (std::find(cursors.begin(), cursors.end(), "") == cursors.end())
      point.set_cursor(broch::inputs::joined(cursors));
    points_.clear();
    return true;
  }

  // The shortest round.
  std::optional<int64_t> size() override {
    std::optional<int64_t> least;
    for (const auto& source : sources_)
      if (const auto size = source.size()) least = std::min(least.value_or(*size), *size);
    return least;
  }
  void stop() override {
    for (const auto& source : sources_) source.stop();
  }

 private:
  struct Place {
    size_t source = 0;
    uint32_t component = 0;
  };

  bool take(size_t s, uint32_t tower, const broch::Cancel& cancel) {
    broch::Point own(host_);
    if (!sources_[s].next(tower, cancel, own)) return false;
    if (own.size() != names_[s].size())
      refuse("source " + std::to_string(s) + " gives " + std::to_string(own.size()) +
             " components, and has names for " + std::to_string(names_[s].size()));
    points_.push_back(std::move(own));
    return true;
  }

  [[noreturn]] static void refuse(const std::string& what) {
    throw broch::Error(BROCH_E_INVALID_ARGUMENT, what);
  }
  static uint32_t place_of(const std::string& name, const broch_input_spec* inputs, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i)
      if (name == inputs[i].name) return i;
    refuse("the model has no input '" + name + "' that the data have to give");
  }

  broch::Host host_;
  std::vector<broch::ChildInputSource> sources_;
  std::vector<std::vector<std::string>> names_;
  std::vector<Place> order_;  // by input of the model
  // Of the first sources. Kept if the wait for another one is cancelled: the next call, in a step
  // that is completed, must not take one more of these alone.
  std::vector<broch::Point> points_;
};

}  // namespace

BROCH_INPUT_SOURCE(SideBySide, "broch.input_source.side-by-side", "1.0.0",
                   "Takes the inputs of the model from several sources.", Options::schema)
