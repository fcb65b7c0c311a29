// trial.cpp: values of a trial, and where it writes.
#include "sweep/trial.hpp"

#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "runs/run_folder.hpp"
#include "value/json.hpp"

namespace broch::sweep {
namespace {

// "trial-0007": sorted by number in a listing of the folder.
std::string name_of(int64_t number) {
  const std::string digits = std::to_string(number);
  return "trial-" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

std::string missing(const std::string& metric, const std::set<std::string>& there) {
  const std::vector<std::string> names(there.begin(), there.end());
  return "no metric " + metric + base::did_you_mean(metric, names) +
         (names.empty() ? "" : "; there are " + base::join(names, ", "));
}

}  // namespace

std::optional<double> Trial::value(const Spec& spec, int64_t until) const {
  std::optional<double> counts;
  for (const auto& [epoch, value] : values)
    if (epoch <= until && (!counts || !spec.best_counts || spec.better(value, *counts)))
      counts = value;
  return counts;
}

std::string Trial::log_dir(const Spec& spec) const { return spec.folder + "/" + name_of(number); }

std::string Trial::text_file(const Spec& spec) const { return log_dir(spec) + ".txt"; }

void read_progress(Trial& trial, const Spec& spec) {
  trial.values.clear();
  trial.epochs = 0;
  trial.why.clear();
  std::set<std::string> there;
  try {
    for (const Value& record : runs::records_so_far(trial.log_dir(spec)))
      for (const value::Member& member : record.object()) {
        const int64_t epoch = record.find("epoch_num")->integer();
        trial.epochs = std::max(trial.epochs, epoch);
        if (runs::is_counter(member.key)) continue;
        there.insert(member.key);
        if (member.key != spec.metric) continue;
        trial.values[epoch] = member.value.is_number() ? member.value.number()
                                                       : std::numeric_limits<double>::quiet_NaN();
      }
    if (trial.values.empty()) trial.why = missing(spec.metric, there);
  } catch (const base::Error& error) {
    trial.why = error.what();
  }
}

std::string describe(const Value& parameters) {
  std::vector<std::string> parts;
  for (const value::Member& member : parameters.object())
    parts.push_back(member.key + "=" + value::to_text(member.value));
  return base::join(parts, ", ");
}

}  // namespace broch::sweep
