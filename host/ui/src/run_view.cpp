// run_view.cpp: reads the files of a log folder when something of them is asked for.
#include "run_view.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "control/client.hpp"
#include "control/request.hpp"
#include "log_file.hpp"
#include "log_folder/run_record.hpp"
#include "refusal.hpp"
#include "thinned.hpp"
#include "value/json.hpp"

namespace broch::ui {
namespace {

using value::Value;

constexpr uint64_t kEnd = 128 << 10;  // bytes of records that the list of runs looks at
constexpr uint64_t kLogEnd = 64 << 10;
constexpr int64_t kLeastPoints = 8, kMostPoints = 10'000, kPoints = 1000;
constexpr size_t kMostHistograms = 40, kMostTexts = 40, kMostImages = 200, kLongestText = 64 << 10;
constexpr std::chrono::seconds kStatusTime{2}, kControlTime{30};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json json_of(const Value& value) { return Json::parse(value::to_text(value)); }

// At most `most` places of a list, evenly chosen, with the first and the last one.
std::vector<size_t> chosen(size_t size, size_t most) {
  std::vector<size_t> places;
  const size_t count = std::min(size, most);
  for (size_t i = 0; i < count; ++i)
    places.push_back(count < 2 ? size - 1 : i * (size - 1) / (count - 1));
  return places;
}

const std::vector<EventPlace>& places_of(const Events::Places& all, const std::string& tag) {
  const auto found = all.find(tag);
  if (found == all.end()) throw Refusal(kNotFound, "tag: " + base::quoted(tag) + " is not there");
  return found->second;
}

}  // namespace

RunView::RunView(std::string id, std::filesystem::path log_dir, const std::string& path)
    : id_(std::move(id)), log_dir_(std::move(log_dir)), path_(base::to_utf8(path)) {}

// The last metrics: of the records near the end of the file, since whole files can be large.
void RunView::refresh_summary() {
  const LogFile stats(log_dir_ / "stats.json");
  if (stats.version() != end_version_) {
    end_version_ = stats.version();
    std::string text = stats.read(stats.size() > kEnd ? stats.size() - kEnd : 0, kEnd);
    if (stats.size() > kEnd)
      text.erase(0, text.find("\n{") == text.npos ? 0 : text.find("\n{") + 1);
    Records end;
    end.add(text);
    end_ = Json::object();
    if (end.size() > 0) {
      end_["epoch"] = end.epoch_number(end.size() - 1);
      end_["step"] = end.step(end.size() - 1);
    }
    Json& metrics = end_["stats"] = Json::object();
    for (const Column& column : end.columns())
      metrics[base::to_utf8(column.name)] = number(column.values.back());
  }
  const LogFile manifest(log_dir_ / "manifest.resolved.json");
  if (!name_.empty() && manifest.version() == manifest_version_) return;
  manifest_version_ = manifest.version();
  const Value value = read_value(log_dir_ / "manifest.resolved.json");
  const Value* const name = value.find("name");
  name_ = name && name->is(Value::Kind::string) && !name->string().empty()
              ? name->string()
              : base::to_utf8(log_dir_.filename().string());
  plan_ = Json::object();
  for (const char* key : {"max_epoch", "seed"})
    if (const Value* one = value.find(key); one && one->is(Value::Kind::integer))
      plan_[key] = one->integer();
  for (const char* key : {"model", "trainer", "optimizer"})
    if (const Value* one = value::find_at(value, std::string("/").append(key).append("/use"));
        one && one->is(Value::Kind::string))
      plan_[key] = one->string();
}

Json RunView::summary() {
  const std::lock_guard lock(mutex_);
  refresh_summary();
  const auto record = log_folder::read_record(log_dir_.string());
  return {{"id", id_},
          {"name", name_},
          {"path", path_},
          {"state", log_folder::state_of_run(log_dir_.string())},
          {"epoch", end_.contains("epoch") ? end_["epoch"] : Json()},
          {"step", end_.contains("step") ? end_["step"] : Json()},
          {"started", record ? number(record->started) : Json()},
          {"ended", record && record->ended ? number(*record->ended) : Json()},
          {"exit", record && record->exit ? Json(*record->exit) : Json()},
          {"plan", plan_},
          {"stats", end_["stats"]}};
}

std::string RunView::name() {
  const std::lock_guard lock(mutex_);
  refresh_summary();
  return name_;
}

void RunView::update_events() {
  events_.update(log_dir_);
  bytes_ = records_.bytes() + events_.bytes();
}

Json RunView::curve(const Column& column, const Target& target, size_t since,
                    int64_t points) const {
  const auto first = std::ranges::lower_bound(column.rows, uint32_t(since));
  size_t begin = size_t(first - column.rows.begin()), end = column.rows.size();
  const int64_t from = target.number("from", INT64_MIN, INT64_MIN, INT64_MAX),
                to = target.number("to", INT64_MAX, INT64_MIN, INT64_MAX);
  while (begin < end && records_.step(column.rows[begin]) < from) ++begin;
  while (end > begin && records_.step(column.rows[end - 1]) > to) --end;
  const std::span<const double> values(column.values.data() + begin, end - begin);
  const bool with_time = target.text("time") == "1";
  Json step = Json::array(), epoch = Json::array(), time = Json::array(), list = Json::array();
  for (const size_t place : thinned(values, size_t(points))) {
    const uint32_t row = column.rows[begin + place];
    step.push_back(records_.step(row));
    epoch.push_back(std::round(records_.epoch(row) * 1e4) / 1e4);
    list.push_back(number(values[place]));
    if (with_time)
      time.push_back(number(std::round(events_.time_of(records_.step(row)) * 1e3) / 1e3));
  }
  Json json{
      {"name", base::to_utf8(column.name)}, {"step", step}, {"epoch", epoch}, {"value", list}};
  if (with_time) json["time"] = time;
  return json;
}

Json RunView::series(const Target& target) {
  const int64_t points = target.number("points", kPoints, kLeastPoints, kMostPoints);
  const std::string tag = target.text("tag");
  const std::lock_guard lock(mutex_);
  records_.update(log_dir_ / "stats.json");
  bytes_ = records_.bytes() + events_.bytes();
  if (target.text("time") == "1") update_events();
  int64_t since = target.number("since", 0, 0, INT64_MAX);
  if (target.number("generation", records_.generation(), 0, INT64_MAX) != records_.generation() ||
      since > int64_t(records_.size()))
    since = 0;
  Json curves = Json::array();
  for (const Column& column : records_.columns())
    if (tag.empty() || tag == column.name)
      curves.push_back(curve(column, target, size_t(since), points));
  return {{"id", id_},
          {"since", since},
          {"records", records_.size()},
          {"generation", records_.generation()},
          {"problem", base::to_utf8(records_.problem())},
          {"curves", curves}};
}

Json RunView::media() {
  const std::lock_guard lock(mutex_);
  update_events();
  const auto tags = [](const Events::Places& all) {
    Json list = Json::array();
    for (const auto& [tag, places] : all) {
      Json numbers = Json::array(), steps = Json::array(), times = Json::array();
      for (const size_t place : chosen(places.size(), kMostImages)) {
        numbers.push_back(places[place].number);
        steps.push_back(places[place].step);
        times.push_back(number(places[place].time));
      }
      list.push_back({{"tag", tag}, {"number", numbers}, {"step", steps}, {"time", times}});
    }
    return list;
  };
  return {{"images", tags(events_.images())},
          {"histograms", tags(events_.histograms())},
          {"texts", tags(events_.texts())}};
}

std::string RunView::image(const std::string& tag, int64_t number) {
  const std::lock_guard lock(mutex_);
  update_events();
  const std::vector<EventPlace>& places = places_of(events_.images(), tag);
  const auto place = std::ranges::lower_bound(places, number, {}, &EventPlace::number);
  if (place == places.end() || place->number != number)
    throw Refusal(kNotFound, "n: " + std::to_string(number) + ", expected a number from …/media");
  const store::EventValue value = events_.read(*place);
  const auto* const image = std::get_if<store::EventImage>(&value.value);
  if (!image || !image->png.starts_with("\x89PNG")) throw Refusal(kNotFound, "the image is no PNG");
  return image->png;
}

Json RunView::histogram(const std::string& tag) {
  const std::lock_guard lock(mutex_);
  update_events();
  const std::vector<EventPlace>& places = places_of(events_.histograms(), tag);
  Json list = Json::array();
  for (const size_t place : chosen(places.size(), kMostHistograms)) {
    const store::EventValue value = events_.read(places[place]);
    const auto* const one = std::get_if<store::Histogram>(&value.value);
    if (!one) continue;
    Json limits = Json::array(), counts = Json::array();
    for (size_t i = 0; i < std::min(one->bucket.size(), one->bucket_limit.size()); ++i) {
      limits.push_back(number(one->bucket_limit[i]));
      counts.push_back(number(one->bucket[i]));
    }
    list.push_back({{"step", places[place].step},
                    {"min", number(one->min)},
                    {"max", number(one->max)},
                    {"limits", limits},
                    {"counts", counts}});
  }
  return {{"tag", tag}, {"histograms", list}};
}

Json RunView::text(const std::string& tag) {
  const std::lock_guard lock(mutex_);
  update_events();
  const std::vector<EventPlace>& places = places_of(events_.texts(), tag);
  Json list = Json::array();
  for (const size_t place : chosen(places.size(), kMostTexts)) {
    const store::EventValue value = events_.read(places[place]);
    const auto* const tensor = std::get_if<store::EventTensor>(&value.value);
    const auto* const texts =
        tensor ? std::get_if<std::vector<std::string>>(&tensor->elements) : nullptr;
    if (!texts) continue;
    list.push_back(
        {{"step", places[place].step},
         {"text", base::to_utf8(base::cut_to_bytes(base::join(*texts, "\n"), kLongestText))}});
  }
  return {{"tag", tag}, {"texts", list}};
}

Json RunView::texts() {
  const std::lock_guard lock(mutex_);
  update_events();
  Json texts = Json::array();
  for (const EventText& text : events_.messages())
    texts.push_back(
        {{"step", text.step}, {"time", number(text.time)}, {"text", base::to_utf8(text.text)}});
  const LogFile log(log_dir_ / "log.log");
  std::string end = log.read(log.size() > kLogEnd ? log.size() - kLogEnd : 0, kLogEnd);
  if (log.size() > kLogEnd) end.erase(0, std::min(end.find('\n'), end.size() - 1) + 1);
  return {{"texts", texts}, {"log", base::to_utf8(end)}};
}

Json RunView::manifest() {
  const Value resolved = read_value(log_dir_ / "manifest.resolved.json");
  const Value origins = read_value(log_dir_ / "manifest.origins.json");
  const LogFile written(log_dir_ / "manifest.json");
  return {{"resolved", json_of(resolved)},
          {"origins", json_of(origins)},
          {"written", base::to_utf8(written.is_open() ? written.read(0, 1 << 20) : "")}};
}

Json RunView::environment() {
  Json plugins = Json::array();
  const Value list = read_value(log_dir_ / "plugins.json");
  if (list.is(Value::Kind::array)) plugins = json_of(list);
  const Value inputs = read_value(log_dir_ / "manifest.inputs.json");
  const Value* const variables = inputs.find("environment");
  return {{"record", json_of(read_value(log_dir_ / "run.json"))},
          {"machine", json_of(read_value(log_dir_ / "environment.json"))},
          {"plugins", plugins},
          {"variables", variables ? json_of(*variables) : Json::object()}};
}

namespace {

Json ask(const std::filesystem::path& log_dir, const std::string& line,
         std::chrono::seconds patience) {
  try {
    return json_of(control::ask_training(log_dir.string(), line, patience));
  } catch (const base::Error& error) {
    throw Refusal(kConflict, error.what());
  }
}

std::string line_of(const Json& request) {
  const auto text = [&request](const char* name) {
    const auto found = request.find(name);
    if (found == request.end() || !found->is_string())
      throw Refusal(kBadRequest, std::string(name) + ": expected a text");
    return found->get<std::string>();
  };
  const std::string what = text("request");
  if (what == "stop" || what == "save") return what;
  if (what != "set")
    throw Refusal(kBadRequest,
                  "request: found " + base::quoted(what) + ", expected stop, save or set");
  return "set " + text("name") + "=" + text("value");
}

}  // namespace

Json RunView::status() { return ask(log_dir_, "status", kStatusTime); }

Json RunView::control(const std::string& body) {
  const Json request = Json::parse(body, nullptr, false);
  if (!request.is_object()) throw Refusal(kBadRequest, "body: expected a JSON object");
  const std::string line = line_of(request);
  try {
    control::parse_request(line);
  } catch (const base::Error& error) {
    throw Refusal(kBadRequest, error.what());
  }
  if (line.find('\n') != line.npos) throw Refusal(kBadRequest, "body: more than one line");
  return ask(log_dir_, line, kControlTime);
}

}  // namespace broch::ui
