// train_command.cpp: broch train.
#include <charconv>
#include <cstdlib>
#include <iostream>

#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "dist/process_group.hpp"
#include "launch.hpp"
#include "options.hpp"
#include "session/run.hpp"
#include "terminal.hpp"

namespace broch::cli {
namespace {

constexpr const char* kNewest = "newest";

struct TrainOptions {
  session::SetupOptions setup;
  session::RunOptions run;
  std::string runtime = "torch";
  std::string resume;    // kNewest, "auto" or a path
  uint32_t ranks = 1;    // to be started
  uint32_t servers = 0;  // of them
  std::vector<std::string> limits;
  bool no_collectives = false;
};

// The log file of the run is open: what went wrong has to stand in it, too.
base::Exit build_and_train(session::Run& run, bool& ended) {
  try {
    run.build();
    const base::Exit exit = run.train();
    ended = true;
    return exit;
  } catch (const std::exception&) {
    return report_failure();
  }
}

void check_ranks(const TrainOptions& options) {
  const auto refuse = [](const std::string& found, const std::string& expected) {
    throw base::Error(base::Exit::usage,
                      {"broch train", found, expected, "leave --rank and --world out"});
  };
  const std::string asked = "--rank " + std::to_string(options.run.rank) + " --world " +
                            std::to_string(options.run.world);
  if (options.run.rank >= options.run.world) refuse(asked, "a rank from 0 to world - 1");
  if (options.run.world > 1 && !options.no_collectives)
    refuse(asked + " without --no-collectives",
           "a launcher, such as --ranks " + std::to_string(options.run.world));
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
  std::unique_ptr<dist::ProcessGroup> group;  // none: there is one rank, or they do not talk
  std::unique_ptr<dist::Group> workers;       // where others are parameter servers
};

// Meets the others, if a launcher says that there are any.
Together join_ranks(TrainOptions& options, const manifest::Manifest& manifest) {
  if (options.no_collectives) return {};
  const std::string& engine = manifest.runtime.collectives;
  dist::Ranks ranks = dist::ranks_of_this_process(engine != "mpi");
  require_workers(options.servers, ranks.world);
  if (ranks.alone()) return {};
  ranks.servers = options.servers;
  if (options.runtime == "null")
    throw base::Error(base::Exit::usage,
                      {"broch train", "--runtime null with " + base::counted(ranks.world, "rank"),
                       "LibTorch, which ranks talk through", "leave --runtime out"});
  options.run.rank = ranks.rank;
  options.run.world = ranks.workers();
  if (ranks.rank != 0) {  // rank 0 talks
    options.run.ui = nullptr;
    base::set_log_level(std::max(base::log_level(), base::Level::warning));
  }
  const std::chrono::duration<double> limit(manifest.runtime.collective_timeout);
  Together together;
  together.group = dist::join(ranks, std::chrono::ceil<std::chrono::milliseconds>(limit), engine);
  options.run.everyone = &together.group->everyone();
  if (ranks.servers == 0) {
    options.run.group = options.run.everyone;
  } else if (!ranks.is_server() && ranks.workers() > 1) {
    together.workers = together.group->workers();
    options.run.group = together.workers.get();
  }
  base::info(base::counted(ranks.world, "rank") + " met over " + options.run.everyone->engine() +
             ", started by " + ranks.launcher);
  return together;
}

// "train=10" and "eval=5"
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

int train(TrainOptions& options) {
  check_ranks(options);
  read_limits(options.limits, options.setup.shortening);
  const bool rehearses = options.setup.shortening.fast_dev_run > 0;
  if (options.ranks > 1 && !std::getenv("BROCH_MASTER_FD")) {
    require_workers(options.servers, options.ranks);
    return launch(options.ranks);
  }
  Terminal terminal;
  const session::Setup setup(options.setup);
  options.run.null_runtime = options.runtime == "null";
  options.run.ui = &terminal;
  options.run.resume = !options.resume.empty();
  if (options.resume != kNewest) options.run.resume_path = options.resume;
  options.run.writes = !rehearses;
  options.run.rehearses = rehearses;
  if (setup.manifest().resume.wanted && !rehearses) {
    const std::string& path = setup.manifest().resume.path;
    const bool insists = options.run.resume && path == "auto";  // --resume fails without one
    options.run.resume = true;
    if (options.run.resume_path.empty() && !insists) options.run.resume_path = path;
  }
  const Together together = join_ranks(options, setup.manifest());
  session::Run run(setup, options.run);
  bool ended = false;
  const base::Exit exit = build_and_train(run, ended);
  // data: the last checkpoint is missing; the others have ended the training, too.
  const bool well =
      ended && (exit == base::Exit::ok || exit == base::Exit::saved || exit == base::Exit::data);
  if (well && together.group) together.group->leave();
  // The one piece of data: log_dir_action may have chosen another name.
  if (run.leaves_log_dir(exit)) std::cout << "log_dir: " << run.log_dir() << std::endl;
  std::cout.clear();  // nobody who reads it is no failure of a training
  // A source that never came back would be destroyed while it runs.
  run.conclude(exit);
  if (run.abandoned()) std::_Exit(static_cast<int>(exit));
  return static_cast<int>(exit);
}

void add_shortening_options(CLI::App& command, TrainOptions& options, CLI::Option& resume) {
  session::Shortening& shortening = options.setup.shortening;
  const CLI::Range above_0(int64_t{1}, int64_t{1} << 40);
  CLI::Option* fast =
      command
          .add_flag(
              "--fast-dev-run{1}", shortening.fast_dev_run,
              "Rehearse: one step (or K) of one epoch, then all that comes at its end, on one "
              "data point (or K) of each evaluation; keeps no log folder and no checkpoint")
          ->check(above_0)
          ->excludes(&resume);
  CLI::Option* overfit = command
                             .add_option("--overfit", shortening.overfit,
                                         "The first K data points again and again, not shuffled")
                             ->check(above_0)
                             ->excludes(fast);
  command
      .add_option("--limit", options.limits,
                  "train=K: at most K steps an epoch; eval=K: at most K data points an evaluation")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(fast)
      ->excludes(overfit);
}

}  // namespace

void add_train(CLI::App& app, int& exit_code) {
  static TrainOptions options;
  CLI::App* command = app.add_subcommand("train", "Train a model");
  add_manifest_options(*command, options.setup);
  CLI::Option* resume = command->add_flag(
      "--resume{" + std::string(kNewest) + "}", options.resume,
      "Continue the newest checkpoint of the log folder; --resume=PATH: of that one; "
      "--resume=auto: if there is one");
  add_shortening_options(*command, options, *resume);
  add_runtime_option(*command, options.runtime);
  command
      ->add_option("--profile", options.run.profile,
                   "Write how long what took, as a trace for chrome://tracing or Perfetto; of "
                   "rank K: FILE.rankK")
      ->type_name("FILE");
  command
      ->add_option("--ranks", options.ranks,
                   "Start so many processes on this machine that train together")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--ps", options.servers,
                   "The last so many ranks are parameter servers, for the distributed trainers")
      ->envname("BROCH_PS")
      ->check(CLI::Range(0, 4095));
  command->add_option("--rank", options.run.rank, "With --no-collectives: act as this rank");
  command->add_option("--world", options.run.world, "With --no-collectives: of so many ranks");
  command->add_flag("--no-collectives", options.no_collectives,
                    "Ranks do not talk to each other; for tests");
  command->callback([&exit_code] { exit_code = train(options); });
}

}  // namespace broch::cli
