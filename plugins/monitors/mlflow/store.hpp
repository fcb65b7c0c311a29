// store.hpp: where MLflow keeps its runs. The words are MLflow's:
// https://mlflow.org/docs/latest/ml/tracking.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace broch::mlflow {

// Since 1970.
inline int64_t milliseconds_now() {
  using std::chrono::milliseconds, std::chrono::system_clock;
  return std::chrono::duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

struct Metric {
  std::string key;
  double value;
  int64_t timestamp;  // milliseconds since 1970
  int64_t step;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;  // keys and values

struct NewRun {
  std::string experiment, name, user;
  int64_t start;  // milliseconds since 1970
  Pairs params, tags;
};

enum class Status { running = 1, finished = 3, failed = 4, killed = 5 };

// A run is known by its id and that of its experiment. All functions throw Error.
struct RunId {
  std::string experiment, run;
};

class Store {
 public:
  virtual ~Store() = default;
  virtual RunId begin(const NewRun& run) = 0;
  virtual void log(const RunId& run, const std::vector<Metric>& metrics) = 0;
  // Makes what was logged survive a power failure. A server sees to that by itself.
  virtual void sync(const RunId&) {}
  // end: milliseconds since 1970; 0 with Status::running.
  virtual void set_status(const RunId& run, Status status, int64_t end) = 0;
};

}  // namespace broch::mlflow
