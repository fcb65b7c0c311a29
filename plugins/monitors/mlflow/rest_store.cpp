// rest_store.cpp: one request of the API for each function of the store, or a few.
#include "mlflow/rest_store.hpp"

#include <broch/broch.hpp>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sending/http.hpp"

namespace broch::mlflow {
namespace {

using Json = nlohmann::ordered_json;

// Of one request, as the API documents it.
constexpr size_t kMostMetrics = 1000, kMostParams = 100;

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Protocol buffers write numbers that are not finite as words.
Json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json list_of(const Pairs& pairs, size_t begin = 0, size_t count = SIZE_MAX) {
  Json list = Json::array();
  for (size_t i = begin; i < pairs.size() && i - begin < count; ++i)
    list.push_back(Json::object({{"key", pairs[i].first}, {"value", pairs[i].second}}));
  return list;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A member of a member of an answer, which is a text.
std::string find(const std::string& answer, const std::string& pointer) {
  const Json json = Json::parse(answer, nullptr, false);
  const Json::json_pointer place(pointer);
  if (json.is_discarded() || !json.contains(place) || !json[place].is_string())
    throw Error(BROCH_E_UNAVAILABLE,
                "the answer has no " + pointer + "; is this the address of an MLflow server?");
  return json[place];
}

const char* word_of(Status status) {
  switch (status) {
    case Status::running:
      return "RUNNING";
    case Status::finished:
      return "FINISHED";
    case Status::failed:
      return "FAILED";
    default:
      return "KILLED";
  }
}

}  // namespace

RestStore::RestStore(std::string server, std::function<double()> seconds)
    : server_(std::move(server)),
      token_(from_environment("MLFLOW_TRACKING_TOKEN")),
      seconds_(std::move(seconds)) {
  while (!server_.empty() && server_.back() == '/') server_.pop_back();
  const std::string user = from_environment("MLFLOW_TRACKING_USERNAME");
  if (!user.empty()) user_ = user + ":" + from_environment("MLFLOW_TRACKING_PASSWORD");
}

std::string RestStore::ask(const std::string& function, const std::string& body) const {
  sending::Request request{
      .url = server_ + "/api/2.0/mlflow/" + function, .body = body, .seconds = seconds_()};
  if (request.seconds <= 0)
    throw Error(BROCH_E_UNAVAILABLE, "MLflow's " + function + ": no time was left for it");
  if (!token_.empty())
    request.headers.push_back("Authorization: Bearer " + token_);
  else
    request.user = user_;
  try {
    return sending::ask(request);
  } catch (const Error& error) {
    throw Error(error.status(), "MLflow's " + function + ": " + error.what());
  }
}

std::optional<std::string> RestStore::known_experiment(const std::string& name) const {
  const char quote = name.find('\'') == name.npos ? '\'' : '"';
  const std::string filter = std::string("name = ") + quote + name + quote;
  const std::string found =
      ask("experiments/search", text_of(Json::object({{"filter", filter}, {"max_results", 1}})));
  const Json json = Json::parse(found, nullptr, false);
  if (json.is_object() && json.contains("experiments") && !json["experiments"].empty())
    return find(found, "/experiments/0/experiment_id");
  return std::nullopt;
}

std::string RestStore::experiment_id(const std::string& name) const {
  if (const auto id = known_experiment(name)) return *id;
  try {
    return find(ask("experiments/create", text_of(Json::object({{"name", name}}))),
                "/experiment_id");
  } catch (const Error&) {  // another run may have made it in between
    if (const auto id = known_experiment(name)) return *id;
    throw;
  }
}

RunId RestStore::begin(const NewRun& run) {
  RunId id{experiment_id(run.experiment), ""};
  id.run = find(ask("runs/create", text_of(Json::object({{"experiment_id", id.experiment},
                                                         {"run_name", run.name},
                                                         {"user_id", run.user},
                                                         {"start_time", run.start},
                                                         {"tags", list_of(run.tags)}}))),
                "/run/info/run_id");
  for (size_t i = 0; i < run.params.size(); i += kMostParams)
    ask("runs/log-batch", text_of(Json::object({{"run_id", id.run},
                                                {"params", list_of(run.params, i, kMostParams)}})));
  return id;
}

void RestStore::log(const RunId& run, const std::vector<Metric>& metrics) {
  for (size_t begin = 0; begin < metrics.size(); begin += kMostMetrics) {
    Json list = Json::array();
    for (size_t i = begin; i < metrics.size() && i - begin < kMostMetrics; ++i)
      list.push_back(Json::object({{"key", metrics[i].key},
                                   {"value", number(metrics[i].value)},
                                   {"timestamp", metrics[i].timestamp},
                                   {"step", metrics[i].step}}));
    ask("runs/log-batch", text_of(Json::object({{"run_id", run.run}, {"metrics", list}})));
  }
}

void RestStore::set_status(const RunId& run, Status status, int64_t end) {
  Json update = Json::object({{"run_id", run.run}, {"status", word_of(status)}});
  if (end != 0) update["end_time"] = end;
  ask("runs/update", text_of(update));
}

}  // namespace broch::mlflow
