// input.cpp: calls the input source and interprets its results.
#include "plan/input.hpp"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/trace.hpp"
#include "plan/stop.hpp"

namespace broch::plan {

namespace {

constexpr std::chrono::seconds kStopTime{5};

// Shared by the caller and the thread that calls stop; the last one to finish frees it.
struct Call {
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  std::exception_ptr failure;
};

// Adds its lifetime to a sum.
class AddTime {
 public:
  explicit AddTime(std::chrono::nanoseconds& sum) : sum_(&sum) {}
  ~AddTime() { *sum_ += Clock::now() - start_; }
  AddTime(const AddTime&) = delete;
  AddTime& operator=(const AddTime&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::nanoseconds* sum_;
  Clock::time_point start_ = Clock::now();
};

std::string with_children(const abi::Instance& instance) {
  std::string text = abi::describe(instance);
  for (const abi::Instance::Child& child : instance.children())
    text += " with " + with_children(*child.get());
  return text;
}

constexpr const char* kRemap = "remap_input_source";

[[noreturn]] void refuse_name(const std::string& name,
                              const std::vector<abi::InputSpec>& signature) {
  std::vector<std::string> names;
  for (const abi::InputSpec& input : signature) names.push_back(input.name);
  throw base::Error{base::Exit::manifest,
                    {kRemap, "no input '" + name + "'" + base::did_you_mean(name, names),
                     "inputs of the model: " + base::join(names, ", "), ""}};
}

std::string text_of(const std::string& points, const abi::Instance* of) {
  if (points.empty()) return "";
  const bool several = points.find(", ") != std::string::npos;
  return (several ? "points " : "point ") + points + (of ? " of " + abi::describe(*of) : "");
}

}  // namespace

std::string point_text(const runtime::Point& point) {
  return text_of(point.origin.empty() ? point.cursor : point.origin, point.origin_of);
}

std::string Input::consumed_text(uint32_t tower) const {
  if (tower >= origins_.size()) return "";
  const Origin& origin = origins_[tower];
  return text_of(origin.points.empty() ? cursors_[tower] : origin.points, origin.of);
}

Input::Input(abi::Instance& instance, Interrupt& interrupt)
    : source_(abi::InputSource::make(instance)), interrupt_(interrupt) {}

std::string Input::describe() const { return with_children(source_.instance()); }

void Input::setup(const std::vector<abi::InputSpec>& signature,
                  const std::vector<std::string>& names) {
  phases_.enter("setup");
  inputs_of_model_ = signature.size();
  signature_ = names.empty() ? signature : std::vector<abi::InputSpec>{};
  for (const std::string& name : names) {
    const auto found = std::ranges::find(signature, name, &abi::InputSpec::name);
    if (found == signature.end()) refuse_name(name, signature);
    const auto place = static_cast<size_t>(found - signature.begin());
    if (std::ranges::count(places_, place) > 0)
      throw base::Error{base::Exit::manifest,
                        {kRemap, "'" + name + "' twice", "each input once", "remove one"}};
    places_.push_back(place);
    signature_.push_back(*found);
  }
  source_.setup(signature_);
}

bool Input::provides(size_t input) const {
  return !is_placeholder() && (!is_remapped() || std::ranges::count(places_, input) > 0);
}

void Input::place(std::vector<runtime::Tensor>& tensors, std::vector<runtime::Tensor> rest) const {
  if (!is_remapped()) return;
  rest.resize(inputs_of_model_);
  for (size_t i = 0; i < places_.size(); ++i) rest[places_[i]] = std::move(tensors[i]);
  tensors = std::move(rest);
}

void Input::set_towers(uint32_t of_plans) {
  announce_towers(of_plans);
  source_.set_towers(towers_);
}

void Input::start(const Cursors& resume_after) {
  phases_.require("setup", "start");
  size_at_start_ = size();
  take_over(resume_after);
  if (resume_after.empty()) return source_.reset_state();
  if (source_.can_resume()) source_.resume(resume_after);
  if (source_.can_resume()) {
    if (resume_after.back().empty())
      base::warning(abi::describe(source_.instance()) +
                    " gave no cursor with the last data point of the earlier run: its data start "
                    "again, so this run continues, but not with the same bits");
    return;
  }
  base::warning(abi::describe(source_.instance()) +
                " cannot continue after the data of the earlier run: it starts again, so this run "
                "continues, but not with the same bits");
  source_.reset_state();
}

void Input::take_over(const Cursors& cursors) {
  cursors_ = cursors;
  newest_ = cursors.empty() ? 0 : cursors.size() - 1;
  if (cursors.size() <= towers_) return;
  newest_ = size_t(std::ranges::find(cursors, cursors.back()) - cursors.begin());
  cursors_.resize(towers_);
}

// Evaluations take points for tower 0 only, so that its point may be newer than that of the last
// tower.
Cursors Input::cursors() const {
  Cursors cursors = cursors_;
  if (newest_ + 1 < cursors.size()) cursors.push_back(cursors_[newest_]);
  return cursors;
}

broch_status Input::next(uint32_t tower, runtime::Point& point) {
  struct Waiting {
    explicit Waiting(std::atomic<bool>& flag) : flag(flag) { flag = true; }
    ~Waiting() { flag = false; }
    std::atomic<bool>& flag;
  };
  const Waiting waiting(waiting_);
  std::optional<AddTime> measured;
  if (waited_) measured.emplace(*waited_);
  const base::Span span("next", source_.instance().name().c_str());
  const runtime::LentPoint lent(point);
  const broch_status status =
      source_.next(tower, keep_waiting_ ? end_.c() : interrupt_.token(), lent.handle());
  if (status != BROCH_CANCELLED) return status;
  interrupt_.throw_failure();
  if (interrupt_.raised()) throw Interrupted{};
  throw base::Error{
      base::Exit::training,
      {abi::describe(source_.instance()), "CANCELLED from next without a cancellation",
       "a data point, END or a failure", "correct the plugin"}};
}

void Input::consumed(uint32_t tower, runtime::Point& point) {
  if (!point.has_cursor && !warned_) {
    warned_ = true;
    base::warning(abi::describe(source_.instance()) +
                  " gives no cursors: a run that is resumed after such a data point continues, but "
                  "its data start again, so not with the same bits");
  }
  if (counts_.size() <= tower) [[unlikely]] {
    counts_.resize(tower + 1);
    cursors_.resize(std::max(cursors_.size(), counts_.size()));
    origins_.resize(counts_.size());
  }
  if (point.has_cursor)
    cursors_[tower].swap(point.cursor);
  else
    cursors_[tower].clear();  // that of an earlier point is not where the data continue
  newest_ = tower;
  any_rank_ = point.any_rank;
  origins_[tower].points.swap(point.origin);
  origins_[tower].of = point.origin_of;
  ++counts_[tower];
}

std::optional<int64_t> Input::size() {
  int64_t size = 0;
  if (!source_.size(&size)) return std::nullopt;
  return size;
}

void Input::cancel() {
  interrupt_.cancel();
  end_.cancel();
}

void Input::stop() {
  if (stopped_) return;
  stopped_ = true;
  cancel();
  auto call = std::make_shared<Call>();
  auto stop = [call, source = source_]() mutable {
    std::exception_ptr failure;
    try {
      source.stop();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(call->mutex);
    call->failure = failure;
    call->done = true;
    call->finished.notify_one();
  };
  try {
    std::thread(stop).detach();
  } catch (const std::system_error&) {  // no room for a thread: wait for as long as it takes
    stop();
  }

  std::unique_lock lock(call->mutex);
  if (!call->finished.wait_for(lock, kStopTime, [&] { return call->done; })) {
    abandoned_ = true;
    base::error(describe() + " did not return from stop within 5 seconds: continuing without it");
    return;
  }
  if (call->failure) std::rethrow_exception(call->failure);
}

}  // namespace broch::plan
