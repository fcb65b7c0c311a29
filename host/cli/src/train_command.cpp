// train_command.cpp: broch train.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "continuation.hpp"
#include "dist/launch.hpp"
#include "dist/process_group.hpp"
#include "options.hpp"
#include "run_folder.hpp"
#include "session/run.hpp"
#include "terminal.hpp"
#include "value/concealed.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

constexpr const char* kNewest = "newest";

struct TrainOptions {
  session::SetupOptions setup;
  session::RunOptions run;
  std::string runtime = "torch";
  std::string resume;    // kNewest, "auto" or a path
  uint32_t ranks = 1;    // to start on this machine
  uint32_t servers = 0;  // how many of them are parameter servers
  std::vector<std::string> limits;
  bool no_collectives = false;
  bool of_folder = false;  // the manifest is what the log folder of a run holds
};

// How far a run came.
struct Way {
  bool built = false;
  bool ended = false;  // and not by an error
};

// Reports errors here, while the log file of the run is open, so that it contains them, too.
base::Exit build_and_train(session::Run& run, Way& way) {
  try {
    run.build();
    way.built = true;
    const base::Exit exit = run.train();
    way.ended = true;
    return exit;
  } catch (const std::exception&) {
    return report_failure();
  }
}

void check_ranks(const TrainOptions& options) {
  const auto refuse = [](const std::string& found, const std::string& expected,
                         const char* hint = "leave --rank and --world out") {
    throw base::Error(base::Exit::usage, {"broch train", found, expected, hint});
  };
  const std::string asked = "--rank " + std::to_string(options.run.rank) + " --world " +
                            std::to_string(options.run.world);
  if (options.run.rank >= options.run.world) refuse(asked, "a rank from 0 to world - 1");
  if (options.run.world > 1 && !options.no_collectives)
    refuse(asked + " without --no-collectives",
           "a launcher, such as --ranks " + std::to_string(options.run.world));
  // Each of the processes would take itself for rank 0, and all would write the same log folder.
  if (options.ranks > 1 && options.no_collectives)
    refuse("--ranks " + std::to_string(options.ranks) + " with --no-collectives",
           "ranks that communicate",
           "leave --no-collectives out, or start each process by --rank and --world");
}

void require_workers(uint32_t servers, uint32_t ranks) {
  if (servers == 0 || servers < ranks) return;
  throw base::Error(base::Exit::usage,
                    {"broch train: --ps or BROCH_PS",
                     std::to_string(servers) + " of " + base::counted(ranks, "rank"),
                     "at least one rank besides the parameter servers",
                     "start more ranks, for example with --ranks " + std::to_string(servers + 1)});
}

struct Together {
  std::unique_ptr<dist::ProcessGroup> group;  // empty: one rank, or no communication
  std::unique_ptr<dist::Group> workers;       // if some ranks are parameter servers
};

// Waits for the other ranks, and tells the run which groups there are.
Together meet(session::RunOptions& run, const dist::Ranks& ranks,
              const manifest::Manifest& manifest) {
  const std::chrono::duration<double> limit(manifest.runtime.collective_timeout);
  Together together;
  together.group = dist::join(ranks, std::chrono::ceil<std::chrono::milliseconds>(limit),
                              manifest.runtime.collectives);
  run.everyone = &together.group->everyone();
  if (ranks.servers == 0) {
    run.group = run.everyone;
  } else if (!ranks.is_server() && ranks.workers() > 1) {
    together.workers = together.group->workers();
    run.group = together.workers.get();
  }
  base::info(base::counted(ranks.world, "rank") + " met over " + run.everyone->engine() +
             ", started by " + ranks.launcher);
  return together;
}

// Connects to the other ranks, if a launcher has started any.
Together join_ranks(TrainOptions& options, const manifest::Manifest& manifest) {
  if (options.no_collectives) return {};
  dist::Ranks ranks = dist::ranks_of_this_process(manifest.runtime.collectives != "mpi");
  require_workers(options.servers, ranks.world);
  if (ranks.alone()) return {};
  ranks.servers = options.servers;
  if (options.runtime == "null")
    throw base::Error(base::Exit::usage,
                      {"broch train", "--runtime null with " + base::counted(ranks.world, "rank"),
                       "LibTorch, through which ranks communicate", "leave --runtime out"});
  options.run.rank = ranks.rank;
  options.run.world = ranks.workers();
  if (ranks.rank != 0) {  // only rank 0 logs to the terminal
    options.run.ui = nullptr;
    base::set_log_level(std::max(base::log_level(), base::Level::warning));
  }
  return meet(options.run, ranks, manifest);
}

// Reads --limit: "train=10", "eval=5".
void read_limits(const std::vector<std::string>& limits, session::Shortening& shortening) {
  for (const std::string& limit : limits) {
    const size_t sign = std::min(limit.find('='), limit.size());
    const std::string what = limit.substr(0, sign),
                      count = limit.substr(std::min(sign + 1, limit.size()));
    int64_t value = 0;
    const auto read = std::from_chars(count.data(), count.data() + count.size(), value);
    if ((what != "train" && what != "eval") || read.ec != std::errc{} ||
        read.ptr != count.data() + count.size() || value < 1)
      throw base::Error(
          base::Exit::usage,
          {"broch train: --limit", base::quoted(limit),
           "train=K or eval=K with a whole number above 0, or both with a comma between",
           "for example --limit train=100,eval=10"});
    (what == "train" ? shortening.train : shortening.eval) = value;
  }
}

// "--resume auto" would be an override that is called auto.
void check_resume_word(const TrainOptions& options) {
  const std::vector<std::string>& words = options.setup.overrides;
  if (options.resume == kNewest &&
      (options.setup.manifest == "auto" || std::ranges::find(words, "auto") != words.end()))
    base::fail(base::Exit::usage, "--resume", "the word auto after a space", "--resume=auto",
               "write it with '='");
}

// A log folder stands for the manifest that its run was resolved to, and the run goes on there,
// also if the folder was moved. Another log_dir makes a branch of it.
void enter_log_folder(TrainOptions& options) {
  std::string& manifest = options.setup.manifest;
  const std::string folder = manifest;
  if (std::error_code unknown; !std::filesystem::is_directory(folder, unknown)) return;
  manifest = manifest_file(folder, options.setup.overrides);
  if (options.resume.empty())
    base::fail(base::Exit::usage, folder, "the log folder of a run", "a manifest",
               "add --resume to continue the run in it");
  options.of_folder = true;
  std::vector<std::string>& words = options.setup.overrides;
  const auto sets_log_dir = [](const std::string& word) { return word.starts_with("log_dir="); };
  if (std::ranges::none_of(words, sets_log_dir))
    words.push_back("log_dir=" + value::to_text(Value(value::as_literal(whole_path(folder)))));
  else if (options.resume == kNewest)
    options.resume = folder;
}

// From --resume, or else from the manifest, whose checkpoint a rehearsal does not look for. What
// the run in a log folder began with is behind it.
void choose_resume(TrainOptions& options, const manifest::Manifest& manifest) {
  session::RunOptions& run = options.run;
  run.resume = !options.resume.empty();
  if (options.resume != kNewest) run.resume_path = options.resume;
  if (!manifest.resume.wanted || run.rehearses || options.of_folder) return;
  const std::string& path = manifest.resume.path;
  // --resume requires a checkpoint, "auto" does not.
  const bool insists = run.resume && path == "auto";
  run.resume = true;
  if (run.resume_path.empty() && !insists) run.resume_path = path;
}

// Whether the other ranks have ended the run, too: Exit::data means that the last checkpoint is
// missing.
bool ended_with_others(base::Exit exit, const session::Run& run) {
  using base::Exit;
  return exit == Exit::ok || exit == Exit::saved || exit == Exit::data ||
         exit == Exit::interrupted || exit == Exit::terminated || run.interrupted_together();
}

// A call for which other ranks did not come does not know why. A rank that has ended well says so.
void tell_who_left(dist::ProcessGroup& group) {
  for (const uint32_t rank : group.left())
    base::error("rank " + std::to_string(rank) +
                " has ended its training without this one; its log tells why. All ranks need the "
                "same number of steps. To stop all of them, one may call request_stop, or return "
                "BROCH_STOP from trigger_step");
}

int train(TrainOptions& options) {
  check_ranks(options);
  check_resume_word(options);
  enter_log_folder(options);
  read_limits(options.limits, options.setup.shortening);
  const bool rehearses = options.setup.shortening.fast_dev_run > 0;
  if (options.ranks > 1 && !std::getenv("BROCH_MASTER_FD")) {
    require_workers(options.servers, options.ranks);
    return dist::launch(options.ranks);
  }
  Terminal terminal;
  const session::Setup setup(options.setup);
  options.run.null_runtime = options.runtime == "null";
  options.run.ui = &terminal;
  options.run.writes = !rehearses;
  options.run.rehearses = rehearses;
  choose_resume(options, setup.manifest());
  const Together together = join_ranks(options, setup.manifest());
  session::Run run(setup, options.run);
  Way way;
  const base::Exit exit = build_and_train(run, way);
  if (together.group && exit == base::Exit::collective) tell_who_left(*together.group);
  if (way.built)
    tell_how_to_continue({options.runtime, options.setup.plugin_path, options.servers,
                          together.group ? &together.group->everyone().ranks() : nullptr},
                         setup.manifest(), run.log_dir(), exit);
  // This rank must not be gone before rank 0 has saved, also if each ended alone after a signal.
  if (together.group && way.ended && ended_with_others(exit, run)) together.group->leave();
  // The only output on stdout, because log_dir_action may have chosen another name.
  if (run.leaves_log_dir(exit)) std::cout << "log_dir: " << run.log_dir() << std::endl;
  std::cout.clear();  // it is no failure of the run if nobody reads this
  // If a data source has not returned, it is still running and must not be destroyed.
  run.conclude(exit);
  if (run.abandoned()) std::_Exit(static_cast<int>(exit));
  return static_cast<int>(exit);
}

void add_shortening_options(CLI::App& command, TrainOptions& options, CLI::Option& resume) {
  session::Shortening& shortening = options.setup.shortening;
  const CLI::Range above_0(int64_t{1}, int64_t{1} << 40);
  CLI::Option* fast =
      command
          .add_flag("--fast-dev-run{1}", shortening.fast_dev_run,
                    "Rehearse: run one step (or K) and the end of the epoch, with one data point "
                    "(or K) per evaluation; keep no log folder and no checkpoint")
          ->check(above_0)
          ->excludes(&resume);
  CLI::Option* overfit =
      command
          .add_option("--overfit", shortening.overfit,
                      "Train on the first K data points again and again, without shuffling")
          ->check(above_0)
          ->excludes(fast);
  command
      .add_option(
          "--limit", options.limits,
          "train=K: at most K steps per epoch; eval=K: at most K data points per evaluation")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(fast)
      ->excludes(overfit);
}

}  // namespace

void add_train(CLI::App& app, int& exit_code) {
  static TrainOptions options;
  CLI::App* command = app.add_subcommand("train", "Train a model");
  add_manifest_options(*command, options.setup)
      ->description("The manifest of the run or, with --resume, its log folder");
  CLI::Option* resume =
      command->add_flag("--resume{" + std::string(kNewest) + "}", options.resume,
                        "Continue from the newest checkpoint in the log folder; --resume=PATH: in "
                        "that folder, or that file; --resume=auto: only if there is one");
  add_shortening_options(*command, options, *resume);
  add_runtime_option(*command, options.runtime);
  command
      ->add_option("--profile", options.run.profile,
                   "Write a profile of the run, as a trace for chrome://tracing or Perfetto; rank "
                   "K writes FILE.rankK")
      ->type_name("FILE");
  command
      ->add_option("--ranks", options.ranks,
                   "Start this number of processes on this machine, which train together")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--ps", options.servers,
                   "How many of the last ranks are parameter servers, for the distributed trainers")
      ->envname("BROCH_PS")
      ->check(CLI::Range(0, 4095));
  command->add_option("--rank", options.run.rank, "With --no-collectives: act as this rank");
  command->add_option("--world", options.run.world, "With --no-collectives: the number of ranks");
  command->add_flag("--no-collectives", options.no_collectives,
                    "Ranks do not communicate; for tests");
  command->callback([&exit_code] { exit_code = train(options); });
}

}  // namespace broch::cli
