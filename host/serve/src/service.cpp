// service.cpp: paths, access, and infer.
#include "service.hpp"

#include <nlohmann/json.hpp>

#include "base/log.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "datatype.hpp"
#include "infer_response.hpp"
#include "refusal.hpp"
#include "version.hpp"

namespace broch::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kJsonType = "application/json";
constexpr const char* kJsonLength = "inference-header-content-length";
constexpr int kUnauthorized = 401, kNotAllowed = 405, kUnsupported = 415;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

http::Response respond_json(const Json& json, int status = 200) {
  return {status, kJsonType, {}, text_of(json)};
}

http::Response error(int status, const std::string& what) {
  http::Response response = respond_json({{"error", what}}, status);
  if (status == kTooMany || status == kUnavailable) response.headers = {{"Retry-After", "1"}};
  if (status == kUnauthorized) response.headers = {{"WWW-Authenticate", "Bearer"}};
  return response;
}
http::Response error(const Refusal& refusal) { return error(refusal.status(), refusal.what()); }

// posts: whether the path takes requests to infer, which have a body.
bool is_allowed(const std::string& method, bool posts) {
  return posts ? method == "POST" : method == "GET" || method == "HEAD";
}
http::Response not_allowed(const std::string& method, bool posts) {
  http::Response response =
      error(kNotAllowed, "method: " + method + ", expected " + (posts ? "POST" : "GET or HEAD"));
  response.headers = {{"Allow", posts ? "POST" : "GET, HEAD"}};
  return response;
}

// "/v2//models?x" -> {"v2", "models"}
std::vector<std::string_view> parts_of(std::string_view target) {
  target = target.substr(0, target.find('?'));
  std::vector<std::string_view> parts;
  while (!target.empty()) {
    const size_t slash = target.find('/');
    const std::string_view part = target.substr(0, slash);
    if (!part.empty()) parts.push_back(part);
    target.remove_prefix(slash == target.npos ? target.size() : slash + 1);
  }
  return parts;
}

Json ports(const std::vector<Port>& ports) {
  Json list = Json::array();
  for (const Port& port : ports)
    list.push_back(
        {{"name", port.name}, {"datatype", datatype_name(port.dtype)}, {"shape", port.shape}});
  return list;
}

// An input of files tells which ones it takes.
Json inputs_of(const Model& model) {
  Json list = ports(model.signature().inputs);
  if (model.takes_files()) list[0]["parameters"] = {{"endings", model.endings()}};
  return list;
}

// Who does what stands before the inputs of the bundle; null if nothing does.
Json preprocessing_of(const Model& model) {
  const predict::Preprocessing& preprocessing = model.preprocessing();
  if (!preprocessing.missing.empty()) return {{"by", "client"}, {"missing", preprocessing.missing}};
  if (!predict::does_something(preprocessing)) return nullptr;
  Json found = {{"by", model.takes_files() ? "server" : "client"}};
  if (const value::Value* use = preprocessing.source.find("use")) found["source"] = use->string();
  found["transforms"] = predict::transforms_of(preprocessing);
  return found;
}

Json metadata_of(const Model& model) {
  Json metadata = {{"name", model.name()},
                   {"versions", {kModelVersion}},
                   {"platform", "broch_bundle"},
                   {"inputs", inputs_of(model)},
                   {"outputs", ports(model.signature().outputs)}};
  if (Json preprocessing = preprocessing_of(model); !preprocessing.is_null())
    metadata["parameters"] = {{"preprocessing", std::move(preprocessing)}};
  return metadata;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

http::Response infer_response(InferResponse encoded) {
  http::Response response{200, kJsonType, {}, std::move(encoded.body)};
  if (encoded.json_size) {
    response.type = "application/octet-stream";
    response.headers = {{"Inference-Header-Content-Length", std::to_string(*encoded.json_size)}};
  }
  return response;
}

// A request to infer, until it is answered.
struct Call {
  Model& model;
  http::Answer answer;
  Clock::time_point start;

  void fail(const Refusal& refusal) const {
    model.metrics().answered(refusal.status(), seconds_since(start));
    answer([response = error(refusal)] { return response; });
  }
  void succeed(InferRequest asked, Outputs outputs) const {
    const auto both =
        std::make_shared<std::pair<InferRequest, Outputs>>(std::move(asked), std::move(outputs));
    answer([&model = model, both, start = start] {
      http::Response response =
          infer_response(encode(model.name(), model.signature(), both->first, both->second));
      model.metrics().answered(response.status, seconds_since(start));
      return response;
    });
  }
};

}  // namespace

Service::Route Service::model_route(const std::vector<std::string_view>& parts) const {
  const std::string name(parts[2]);
  const auto model = models_.find(name);
  if (model == models_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : models_) names.push_back(known);
    refuse(kNotFound, "path", "the model " + base::quoted(name),
           "one of " + base::join(names, ", "));
  }
  size_t at = 3;
  if (parts.size() > at && parts[at] == "versions") {
    if (parts.size() == at + 1 || parts[at + 1] != kModelVersion)
      refuse(kNotFound, "path", "another version of the model",
             std::string("version ") + kModelVersion);
    at += 2;
  }
  if (parts.size() == at) return {What::model, model->second.get()};
  if (parts.size() == at + 1 && parts[at] == "ready")
    return {What::model_ready, model->second.get()};
  if (parts.size() == at + 1 && parts[at] == "infer") return {What::infer, model->second.get()};
  refuse(kNotFound, "path", base::quoted(parts[at]), "ready or infer after the model");
}

Service::Route Service::route_of(std::string_view target) const {
  const std::vector<std::string_view> parts = parts_of(target);
  const auto is = [&](std::initializer_list<std::string_view> path) {
    return std::equal(parts.begin(), parts.end(), path.begin(), path.end());
  };
  if (is({"v2"})) return {What::server};
  if (is({"v2", "health", "live"})) return {What::live};
  if (is({"v2", "health", "ready"})) return {What::ready};
  if (is({"metrics"})) return {What::metrics};
  if (parts.size() >= 3 && parts[0] == "v2" && parts[1] == "models") return model_route(parts);
  refuse(kNotFound, "path", base::quoted(target),
         "/v2, /v2/health/live, /v2/health/ready, /v2/models/NAME, "
         "/v2/models/NAME/ready, /v2/models/NAME/infer or /metrics");
}

void Service::require_access(const http::Request& head) const {
  const std::string_view path = std::string_view(head.target).substr(0, head.target.find('?'));
  const bool is_open = path == "/v2/health/live" || path == "/v2/health/ready";
  if (token_.is_set() && !is_open && !token_.is_in(head.header("authorization")))
    refuse(kUnauthorized, "header Authorization", "no token, or a wrong one",
           "Bearer and the token of this server");
}

// What can be said against a request to infer before its body is there.
void Service::require_infer(const http::Request& head, Model& model) const {
  const std::string_view encoding = head.header("content-encoding");
  if (!encoding.empty() && encoding != "identity")
    refuse(kUnsupported, "header Content-Encoding", base::quoted(encoding), "none");
  try {
    batcher_.require_room();
  } catch (const Refusal& refusal) {
    model.metrics().answered(refusal.status(), 0);
    throw;
  }
}

std::optional<http::Response> Service::refusal_of(const http::Request& head) {
  try {
    require_access(head);
    const Route route = route_of(head.target);
    const bool posts = route.what == What::infer;
    if (!is_allowed(head.method, posts)) return not_allowed(head.method, posts);
    if (posts) require_infer(head, *route.model);
    return std::nullopt;
  } catch (const Refusal& refusal) {
    return error(refusal);
  }
}

void Service::handle(http::Request request, http::Answer answer) {
  const Route route = route_of(request.target);
  if (route.what == What::infer) return infer(*route.model, std::move(request), answer);
  answer([this, route] { return respond(route); });
}

http::Response Service::respond(const Route& route) const {
  switch (route.what) {
    case What::server:
      return respond_json(
          {{"name", "broch"}, {"version", BROCH_VERSION}, {"extensions", {"binary_tensor_data"}}});
    case What::live:
      return respond_json({{"live", true}});
    case What::ready:
      return respond_json({{"ready", !ends_}}, ends_ ? kUnavailable : 200);
    case What::metrics:
      return {200, "text/plain; version=0.0.4", {}, metrics()};
    case What::model_ready:
      return respond_json({{"name", route.model->name()}, {"ready", !ends_}},
                          ends_ ? kUnavailable : 200);
    default:
      return respond_json(metadata_of(*route.model));
  }
}

void Service::infer(Model& model, http::Request request, const http::Answer& answer) {
  const Call call{model, answer, Clock::now()};
  const auto failed = [call](const Refusal& refusal) { call.fail(refusal); };
  const auto done = [call](InferRequest asked, Outputs outputs) {
    call.succeed(std::move(asked), std::move(outputs));
  };
  const Clock::time_point start = call.start, deadline = start + timeout_;
  // The preprocessor may call it when this service is gone.
  const auto compute = [&batcher = batcher_, &model, start, deadline, done,
                        failed](InferRequest asked) {
    std::vector<int64_t> sizes = model.sizes_for(asked.inputs);
    batcher.add({&model, std::move(asked), 1, start, deadline, done, failed}, std::move(sizes));
  };
  try {
    const std::string_view length = request.header(kJsonLength);
    InferRequest read = parse_infer(model.signature(), std::move(request.body),
                                    length.empty() ? std::nullopt : std::optional(length));
    if (model.takes_files())
      preprocessor_->add({&model, std::move(read), deadline, compute, failed});
    else
      compute(std::move(read));
  } catch (const std::exception&) {
    call.fail(current_refusal());
  }
}

http::Response Service::failure(int status, const std::string& found, const std::string& expected) {
  return error(status,
               "the request: " + found + (expected.empty() ? "" : ", expected " + expected));
}

void Service::responds(const http::Request* head, int status) {
  const std::string what = head ? head->method + " " + base::quoted(head->target) : "no request";
  base::debug(what + ": " + std::to_string(status));
}

std::string Service::metrics() const {
  MetricsText text;
  std::vector<std::pair<std::string, const ModelMetrics*>> models;
  for (const auto& [name, model] : models_) models.emplace_back(name, &model->metrics());
  text.models(models);
  text.gauge("broch_serve_waiting_requests", "Requests that wait to be computed.",
             double(batcher_.waiting() + (preprocessor_ ? preprocessor_->waiting() : 0)));
  const http::Server* const server = server_;
  text.gauge("broch_serve_connections", "Open connections.",
             server ? double(server->connections()) : 0);
  text.gauge("process_resident_memory_bytes", "Memory of the process.",
             double(base::resident_memory().value_or(0)));
  return text.take();
}

}  // namespace broch::serve
