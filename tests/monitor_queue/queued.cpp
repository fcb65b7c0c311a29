// queued.cpp: a callback that reports something in each step, and monitors with and without a queue
// that write down what they hear.
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <broch/broch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

namespace {

struct TalkerOptions {
  int64_t side, dies_in;

  static constexpr auto schema = broch::options(
      broch::option("side", &TalkerOptions::side, "Of a picture in each step; 0: there is none.")
          .by_default(0),
      broch::option("dies_in", &TalkerOptions::dies_in,
                    "The step in which a first start is killed.")
          .by_default(0));
};

class Talker final : public broch::Callback {
 public:
  Talker(const broch::Host& host, const TalkerOptions& options)
      : run_(host), metrics_(host), options_(options) {}

  void trigger_step() override {
    const broch_progress& now = run_.progress();
    metrics_.put_scalar("loss", double(now.global_step));
    if (now.global_step % 2 == 0)
      metrics_.put_event("org.example.news", "step " + std::to_string(now.global_step));
    if (options_.side > 0) put_picture(now.global_step);
    if (now.global_step == options_.dies_in && !now.resumed) raise(SIGKILL);
  }
  void trigger_epoch() override { metrics_.put_scalar("epoch", double(run_.progress().epoch_num)); }

 private:
  // All its pixels have the number of the step.
  void put_picture(int64_t step) const {
    int64_t shape[] = {options_.side, options_.side};
    std::vector<uint8_t> pixels(size_t(shape[0] * shape[1]), uint8_t(step));
    metrics_.put_image("picture", broch::dl_view(pixels.data(), {BROCH_DL_UINT, 8, 1}, shape, 2));
  }

  broch::Run run_;
  broch::Metrics metrics_;
  TalkerOptions options_;
};

struct ListenerOptions {
  int64_t milliseconds;
  std::string misbehavior;

  static constexpr auto schema = broch::options(
      broch::option("milliseconds", &ListenerOptions::milliseconds, "What each number takes.")
          .by_default(0),
      broch::option("misbehavior", &ListenerOptions::misbehavior, "In process_scalar.")
          .one_of("none", "fails", "hangs", "sets", "has_no_numbers")
          .by_default("none"));
};

// Writes a line for each call into NAME.txt in the log folder. A resumed run cuts the file to the
// lines of its checkpoint.
template <bool queued>
class Listener final : public broch::Monitor, public broch::Callback, public broch::Stateful {
 public:
  static constexpr bool kQueued = queued;
  static constexpr uint32_t kStateVersion = 1;

  Listener(const broch::Host& host, const ListenerOptions& options)
      : run_(host),
        metrics_(host),
        file_(broch::LogDir(host).path().value_or(".") + "/" + (queued ? "queued" : "main") +
              ".txt"),
        options_(options) {}

  void before_train() override {
    std::vector<std::string> lines;
    std::ifstream before(file_);
    for (std::string line; lines.size() < heard_ && std::getline(before, line);)
      lines.push_back(line);
    before.close();
    std::ofstream after(file_);
    for (const std::string& line : lines) after << line << "\n";
    after.close();
    write("before_train");
  }
  void after_train() override { write("after_train"); }
  void before_epoch() override { write("before_epoch"); }
  void after_epoch() override { write("after_epoch"); }
  void trigger_step() override { write("trigger_step"); }
  void trigger_epoch() override { write("trigger_epoch"); }

  void process_scalar(const std::string& name, double value) override {
    write("scalar " + name + " " + broch::number_text(value));
    std::this_thread::sleep_for(std::chrono::milliseconds(options_.milliseconds));
    misbehave();
  }
  void process_summary(const broch_summary_value* values, uint32_t n) override {
    std::string line = "summary";
    for (uint32_t i = 0; i < n; ++i)
      line +=
          std::string(" ") + values[i].tag + (values[i].tensor ? pixels_of(*values[i].tensor) : "");
    write(line);
  }
  void process_image(const std::string& name, const broch_dl_tensor& image) override {
    write("image " + name + pixels_of(image));
  }
  void process_event(const std::string& kind, const std::string& data) override {
    write("event " + kind + " " + data);
  }

  std::string save_state() override {
    write("save");
    return std::to_string(heard_);
  }
  void load_state(uint32_t, const std::string& bytes) override { heard_ = std::stoull(bytes); }

 private:
  // "(1,2,2,1 all 7)"
  static std::string pixels_of(const broch_dl_tensor& tensor) {
    std::string text = "(";
    int64_t size = 1;
    for (int32_t i = 0; i < tensor.ndim; size *= tensor.shape[i++])
      text += (i ? "," : "") + std::to_string(tensor.shape[i]);
    const auto* const pixels = static_cast<const uint8_t*>(tensor.data);
    const bool equal =
        std::all_of(pixels, pixels + size, [&](uint8_t p) { return p == pixels[0]; });
    return text + (equal ? " all " : " mixed ") + std::to_string(pixels[0]) + ")";
  }

  void misbehave() {
    if (options_.misbehavior == "fails") throw broch::Error(BROCH_E_UNAVAILABLE, "nobody there");
    if (options_.misbehavior == "sets") metrics_.put_scalar("more", 1);
    if (options_.misbehavior == "has_no_numbers") throw broch::Error(BROCH_E_NUMBERS, "no number");
    while (options_.misbehavior == "hangs") std::this_thread::sleep_for(std::chrono::seconds(1));
  }

  // "CALL | EPOCH,LOCAL,GLOBAL THREAD"
  void write(const std::string& call) {
    if (inside_.exchange(true)) std::ofstream(file_, std::ios::app) << "two calls at once\n";
    const broch_progress& now = run_.progress();
    const bool created_here = std::this_thread::get_id() == creator_;
    std::ofstream(file_, std::ios::app)
        << call << " | " << now.epoch_num << "," << now.local_step << "," << now.global_step
        << (created_here ? " main" : " other") << "\n";
    ++heard_;
    inside_ = false;
  }

  broch::Run run_;
  broch::Metrics metrics_;
  std::string file_;
  ListenerOptions options_;
  uint64_t heard_ = 0;  // lines
  std::atomic<bool> inside_{false};
  std::thread::id creator_ = std::this_thread::get_id();
};

}  // namespace

BROCH_COMPONENTS(broch::component<Talker>("test.talker", "callback", "1.0.0",
                                          "Reports something in each step.", TalkerOptions::schema),
                 broch::component<Listener<true>>("test.queued", "monitor", "1.0.0", "Has a queue.",
                                                  ListenerOptions::schema,
                                                  broch::roles("monitor", "callback")),
                 broch::component<Listener<false>>("test.main", "monitor", "1.0.0", "Has none.",
                                                   ListenerOptions::schema,
                                                   broch::roles("monitor", "callback")))
