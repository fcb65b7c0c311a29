// prometheus.cpp: the latest values of all scalars for Prometheus, as a file for node_exporter's
// textfile collector, and as a page that Prometheus reads itself. The format:
// https://prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4.
#include <broch/broch.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <mutex>

#include "base/error.hpp"
#include "base/text.hpp"
#include "http/server.hpp"
#include "latest_values.hpp"
#include "pace.hpp"
#include "store/atomic_file.hpp"

namespace {

using broch::http::Request;
using broch::http::Response;

struct Options {
  std::optional<std::string> file, run;
  std::string address;
  std::optional<uint16_t> port;
  double seconds;

  static constexpr auto schema = broch::options(
      broch::option(
          "file", &Options::file,
          "The file, such as metrics.prom in the folder that node_exporter reads; null: "
          "none. Replaced as a whole after each epoch, or less often if epochs are very short.")
          .is_path(),
      broch::option("seconds", &Options::seconds,
                    "The file is also replaced within an epoch, at most this often.")
          .minimum(0)
          .by_default(15)
          .unit("seconds"),
      broch::option("port", &Options::port,
                    "Answer http://ADDRESS:PORT/metrics during the training; 0: a free port, which "
                    "the log tells; null: no page."),
      broch::option("address", &Options::address, "The IP address to listen on.")
          .by_default("127.0.0.1"),
      broch::option("run", &Options::run, "Value of the label run; null: name of the log folder."));
};

std::string quoted_label(const std::string& label) {
  std::string text = "\"";
  for (const char c : label) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? "\\n" : std::string(1, c);
  }
  return text + '"';
}

// What is told. Written by the monitor, read by the threads of the server.
class Page {
 public:
  void set_run(const std::string& run) { run_ = quoted_label(run); }
  void set(const std::string& name, double value) {
    const std::lock_guard lock(mutex_);
    latest_[name] = value;
  }
  void set_latest(broch::monitors::LatestValues latest) {
    const std::lock_guard lock(mutex_);
    latest_ = std::move(latest);
  }
  broch::monitors::LatestValues latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
  }
  void set_progress(const broch_progress& now) {
    const std::lock_guard lock(mutex_);
    epoch_ = now.epoch_num;
    step_ = now.global_step;
  }

  std::string text() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    begin(text, "broch_epoch", "Number of the current epoch.");
    text += "broch_epoch{run=" + run_ + "} " + std::to_string(epoch_) + "\n";
    begin(text, "broch_global_step", "Steps since the beginning of the training.");
    text += "broch_global_step{run=" + run_ + "} " + std::to_string(step_) + "\n";
    if (latest_.empty()) return text;
    begin(text, "broch_metric", "Latest value of a metric of the training.");
    for (const auto& [name, value] : latest_)
      text +=
          "broch_metric{run=" + run_ + ",name=" + quoted_label(name) + "} " + number(value) + "\n";
    return text;
  }

 private:
  static void begin(std::string& text, const std::string& name, const char* help) {
    text += "# HELP " + name + " " + help + "\n# TYPE " + name + " gauge\n";
  }
  static std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return broch::base::shortest(value);
  }

  mutable std::mutex mutex_;
  std::string run_;
  broch::monitors::LatestValues latest_;
  int64_t epoch_ = 0, step_ = 0;
};

class Handler final : public broch::http::Handler {
 public:
  explicit Handler(const Page& page) : page_(page) {}

  std::optional<Response> refusal_of(const Request& head) override {
    const std::string path = head.target.substr(0, head.target.find('?'));
    if (path != "/metrics") return plain(404, "the metrics are at /metrics\n");
    if (head.method != "GET" && head.method != "HEAD")
      return plain(405, "the metrics can only be read\n");
    return std::nullopt;
  }
  void handle(Request, broch::http::Answer answer) override {
    answer([this] {
      return Response{200, "text/plain; version=0.0.4; charset=utf-8", {}, page_.text()};
    });
  }
  Response failure(int status, const std::string& found, const std::string& expected) override {
    return plain(status, "found " + found + ", expected " + expected + "\n");
  }
  void responds(const Request*, int) override {}

 private:
  static Response plain(int status, const std::string& text) {
    return {status, "text/plain; charset=utf-8", {}, text};
  }
  const Page& page_;
};

class Prometheus final : public broch::Monitor, public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;
  static constexpr bool kQueued = true;  // the file may be on a slow disk

  Prometheus(const broch::Host& host, Options options)
      : host_(host), run_(host), options_(std::move(options)), handler_(page_) {
    if (!options_.file && !options_.port)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "found neither file nor port, expected at least one of them");
    const auto folder = broch::LogDir(host).path();
    enabled_ = folder.has_value();
    if (!enabled_) return;
    page_.set_run(
        options_.run.value_or(std::filesystem::path(*folder).lexically_normal().filename()));
  }

  void before_train() override {
    if (!enabled_) return;
    page_.set_progress(run_.progress());
    if (options_.port) listen();
    if (options_.file) write();
    begun_ = true;
  }
  void process_scalar(const std::string& name, double value) override { page_.set(name, value); }
  void trigger_step() override {
    if (!enabled_) return;
    page_.set_progress(run_.progress());
    if (options_.file && !run_.is_last_step() &&
        pace_.since_last() >= std::chrono::duration<double>(options_.seconds))
      write();
  }
  // Also an epoch without steps: a run that is resumed behind them, or one that has none at all.
  void trigger_epoch() override {
    if (!enabled_) return;
    page_.set_progress(run_.progress());
    if (options_.file && pace_.allows()) write();
  }
  void after_train() override {
    if (server_) server_->stop(1);
    server_.reset();
    if (begun_ && options_.file) write();
  }

  std::string save_state() override { return broch::monitors::saved_values(page_.latest()); }
  void load_state(uint32_t, const std::string& bytes) override {
    page_.set_latest(broch::monitors::read_values(bytes));
  }

 private:
  // Calls a part of the host that reports errors in its own way.
  template <class Action>
  static void translate(Action&& action) {
    try {
      action();
    } catch (const broch::base::Error& error) {
      throw broch::Error(BROCH_E_UNAVAILABLE, error.what());
    }
  }

  void listen() {
    broch::http::Options options;
    options.address = options_.address;
    options.port = *options_.port;
    options.threads = 1;
    options.most_connections = 16;
    options.most_body_bytes = options.most_held_bytes = 1 << 16;
    translate([&] { server_ = broch::http::open_server(options, handler_); });
    const bool is_ipv6 = options_.address.find(':') != std::string::npos;
    host_.info("metrics at http://" + (is_ipv6 ? "[" + options_.address + "]" : options_.address) +
               ":" + std::to_string(server_->port()) + "/metrics");
  }
  void write() {
    pace_.write([this] {
      translate([this] { broch::store::write_atomically(*options_.file, page_.text()); });
    });
  }

  broch::Host host_;
  broch::Run run_;
  Options options_;
  bool enabled_ = false;  // whether this process has a log folder
  bool begun_ = false;
  Page page_;
  Handler handler_;
  std::unique_ptr<broch::http::Server> server_;
  broch::monitors::Pace pace_;
};

}  // namespace

BROCH_MONITOR(Prometheus, "broch.monitor.prometheus", "1.0.0",
              "Tells Prometheus the latest values of all scalars, in a file or over HTTP.",
              Options::schema)
