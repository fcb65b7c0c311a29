// outcomes_test.cpp: the table of what plugins do to a run, and what becomes of it.
//
// An exception, a garbage status and the like are errors that name who did it: exit 1 (4 before
// there is an instance), after_train for the others. A crash is one line and the signal. A hang at
// the start ends after 10 seconds, one in a step with the second signal. Whatever happens, the
// checkpoints until then are whole, and a run without the plugin goes on from them.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>

#include "stage.hpp"

namespace broch::hostile {
namespace {

constexpr int kTraining = 1, kPlugin = 4, kData = 5, kTerminated = 143;
constexpr int killed_by(int number) { return 128 + number; }

using Spoil = std::function<void(Json&, const Folder&)>;
using Cases = std::vector<Case>;

// Adds a library to the manifest and its callback.
Spoil with_library(const std::string& file, const std::string& id) {
  return [=](Json& manifest, const Folder&) {
    manifest["plugins"].push_back(file);
    manifest["callbacks"].push_back({{"use", id}});
  };
}
Case on_loading(const std::string& name, int exit, std::vector<std::string> words) {
  const std::string file = std::string(HOSTILE_DIR "/") + name + ".so";
  words.push_back(file);
  return {name + " in a constructor of a library",
          with_library(file, "test.on-loading"),
          exit,
          words,
          0,
          Left::nothing};
}
Case unfit(const std::string& name, std::vector<std::string> words) {
  const std::string file = std::string(FIXTURE_DIR "/") + name + ".so";
  words.push_back(file);
  return {name, with_library(file, "test." + name), kPlugin, words, 0, Left::nothing};
}
// The plugins' own file, changed as a file system can.
Case untrusted(const std::string& name, const std::string& word,
               const std::function<void(const Folder&)>& change) {
  return {name,    [=](Json&, const Folder& folder) { change(folder); },
          kPlugin, {"{}", word, "hint: "},
          0,       Left::nothing};
}

const Cases& loading() {
  static const Cases cases = [] {
    Cases cases{
        on_loading("abort", killed_by(SIGABRT), {"broch: SIGABRT while loading"}),
        on_loading("segfault", killed_by(SIGSEGV), {"broch: SIGSEGV while loading"}),
        on_loading("throw", killed_by(SIGABRT), {"broch: SIGABRT while loading"}),
        on_loading("hang", kPlugin, {"loading did not end within 10 seconds", "constructors"}),
        on_loading("exit", kPlugin, {"broch: exit was called while loading"}),
        on_loading("directory", kPlugin, {"loading it changed the working directory from"}),
        on_loading("locale", kPlugin, {"loading it changed the locale"}),
        on_loading("signals", kPlugin, {"loading it changed what happens on SIGTERM"}),
        on_loading("fast_math", kPlugin,
                   {"loading it changed floating-point control", "without -ffast-math"}),
        unfit("wrong_magic", {"magic of broch_entry_v1 is 0x00001234"}),
        unfit("wrong_major", {"built for interface 7.", "update Broch"}),
        unfit("other_minor", {"rebuild the library"}),
        unfit("newer_host", {"needs a host of interface"}),
        unfit("short_struct", {"broch_entry_v1 has 40 bytes"}),
        unfit("no_symbol", {"does not export broch_entry_v1"}),
        unfit("lying_id", {"the metadata describes 'test.lying_id'"}),
        unfit("lying_role", {"role 'monitor' in the code"}),
        unfit("lying_text", {"differs from section .broch.meta"}),
        unfit("lying_count", {"3 components in the code"}),
        unfit("no_components", {"components of broch_entry_v1 is NULL"}),
        unfit("null_id", {"id or role is NULL"}),
        unfit("no_vtable", {"vtable is NULL"}),
        unfit("short_vtable", {"vtable has 8 bytes"}),
        unfit("no_create", {"create is NULL"}),
        unfit("undefined", {"undefined symbol: nobody_has_this"}),
        {"a library that lists a role and does not play it",
         with_library(FIXTURE_DIR "/good.so", "test.good"),
         kPlugin,
         {"(test.good)", "get_interface(\"broch.callback/1\") answered NULL"},
         0,
         Left::nothing},
        {"two libraries with one id",
         [](Json& manifest, const Folder& folder) {
           std::filesystem::copy_file(folder / "recorder.so", folder / "second.so");
           manifest["plugins"].push_back(folder / "second.so");
         },
         0,
         {"test.recorder", "{}/second.so", "{}/recorder.so"},
         2,
         Left::finished},
        untrusted("a library that anybody may write to", "anybody may write to it",
                  [](const Folder& folder) { chmod((folder / "recorder.so").c_str(), 0666); }),
        untrusted("a folder that anybody may write to", "anybody may write to this folder",
                  [](const Folder& folder) { chmod(folder.path().c_str(), 0777); }),
        untrusted("a pipe", "not a regular file",
                  [](const Folder& folder) {
                    std::filesystem::remove(folder / "recorder.so");
                    mkfifo((folder / "recorder.so").c_str(), 0644);
                  }),
        untrusted("a library cut short", "recorder.so",
                  [](const Folder& folder) {
                    std::filesystem::resize_file(folder / "recorder.so", 3000);
                  }),
    };
    const auto swapped = [](const std::string& what) -> Spoil {
      return [=](Json& manifest, const Folder& folder) {
        folder.write("recorder.so.other", "no library");
        Json entry = bad(what, "create", 0);
        entry["with"]["file"] = folder / "recorder.so";
        manifest["callbacks"].insert(manifest["callbacks"].begin(), entry);
      };
    };
    cases.push_back({"a file written over between listing and loading",
                     swapped("write over"),
                     kPlugin,
                     {"{}/recorder.so: changed since it was listed"},
                     0,
                     Left::nothing});
    cases.push_back({"a file replaced between listing and loading",
                     swapped("replace"),
                     0,
                     {"Training has finished!"},
                     2,
                     Left::finished});
    return cases;
  }();
  return cases;
}

// An act of a callback named 'bad'.
Case act(const std::string& what, const std::string& where, int exit,
         std::vector<std::string> words, int after_train = 2, Left left = Left::earlier,
         int64_t epoch = 2) {
  return {what + " in " + where,
          as_callback(bad(what, where, epoch)),
          exit,
          std::move(words),
          after_train,
          left};
}

const Cases& life() {
  static const std::string who = "callback 'bad' (test.hostile)";
  static const auto early = [](const std::string& what, const std::string& where, int exit,
                               std::vector<std::string> words) {
    return act(what, where, exit, std::move(words), 0, Left::nothing, 0);
  };
  static const auto late = [](const std::string& what, int exit, std::vector<std::string> words) {
    return act(what, "destroy", exit, std::move(words), 2, Left::finished);
  };
  static const Cases cases{
      early("throw", "create", kPlugin,
            {who, "let std::runtime_error(\"thrown across\") escape from create", "{}/hostile.so"}),
      early("segfault", "create", killed_by(SIGSEGV),
            {"broch: SIGSEGV in " + who + " during create, file {}/hostile.so"}),
      early("abort", "create", killed_by(SIGABRT), {"broch: SIGABRT in " + who + " during create"}),
      early("exit", "create", kPlugin,
            {"broch: exit was called in " + who + " during create, file {}/hostile.so"}),
      early("hang", "create", kPlugin,
            {who + " in {}/hostile.so: create did not end within 10 seconds"}),
      early("no reason", "create", kPlugin, {who + " failed in create: no reason, only status"}),
      early("garbage status", "create", kPlugin, {who, "returned 12345 from create"}),
      early("change directory", "create", kTraining,
            {who, "changed the working directory from", " in create"}),
      early("block signals", "create", kTraining, {who, "changed the signal mask (", " in create"}),
      early("take signals", "create", kTraining, {who, "what happens on SIGTERM in create"}),
      early("change rounding", "create", kPlugin, {who, "left floating-point control changed"}),
      early("throw", "get_interface", kTraining, {who, "escape from get_interface"}),
      early("hang", "get_interface", kPlugin,
            {who + " in {}/hostile.so: get_interface did not end within 10 seconds"}),
      early("no table", "get_interface", kPlugin, {who, "answered NULL"}),
      early("short table", "get_interface", kPlugin, {who, "struct_size 4"}),
      early("wild table", "get_interface", killed_by(SIGSEGV),
            {"broch: SIGSEGV in " + who + " during get_interface, file {}/hostile.so"}),
      {"an empty table of a dataflow",
       as_dataflow(bad("empty table", "get_interface")),
       kPlugin,
       {"dataflow 'feed/bad' (test.hostile): no open in its table broch.dataflow/1"},
       0,
       Left::nothing},
      act("write to the options", "create", 0, {"Training has finished!"}, 2, Left::finished),
      early("throw", "start", kTraining, {who, "escape from start"}),
      early("hang", "start", kPlugin,
            {who + " in {}/hostile.so: start did not end within 10 seconds"}),
      act("garbage status", "stop", 0, {who, "returned 12345 from stop"}, 2, Left::finished),
      act("segfault", "stop", killed_by(SIGSEGV), {"broch: SIGSEGV in " + who + " during stop"}, 2,
          Left::finished),
      act("hang", "stop", 0, {who + " in {}/hostile.so: stop did not end within 5 seconds"}, 2,
          Left::finished),
      late("throw", 0, {who, "escape from destroy"}),
      late("segfault", killed_by(SIGSEGV), {"broch: SIGSEGV in " + who + " during destroy"}),
      late("exit", kTraining, {"broch: exit was called in " + who + " during destroy"}),
      late("hang", 0, {who + " in {}/hostile.so: destroy did not end within 10 seconds"}),
  };
  return cases;
}

const Cases& hooks() {
  static const Cases cases = [] {
    Cases cases;
    for (const std::string hook : {"setup_graph", "before_train", "before_epoch", "before_run",
                                   "after_run", "trigger_step", "after_epoch", "trigger_epoch"}) {
      const bool is_early = hook == "setup_graph" || hook == "before_train";
      const Left left = is_early ? Left::nothing : Left::earlier;
      const int64_t epoch = is_early ? 0 : 2;
      cases.push_back(act("throw", hook, kTraining,
                          {"callback 'bad' (test.hostile) violated the interface: let "
                           "std::runtime_error(\"thrown across\") escape from " +
                               hook,
                           "{}/hostile.so"},
                          hook == "setup_graph" ? 0 : 2, left, epoch));
      cases.push_back(act("segfault", hook, killed_by(SIGSEGV),
                          {"broch: SIGSEGV in callback 'bad' (test.hostile) during " + hook +
                           ", file {}/hostile.so"},
                          0, left, epoch));
      cases.push_back(act("garbage status", hook, kTraining,
                          {"callback 'bad' (test.hostile) violated the interface: returned 12345 "
                           "from " +
                           hook},
                          hook == "setup_graph" ? 0 : 2, left, epoch));
    }
    // What fails once everything is done is told, and nothing is lost.
    cases.push_back(act("throw", "after_train", 0,
                        {"callback 'bad' (test.hostile)", "escape from after_train"}, 2,
                        Left::finished));
    cases.push_back(act("segfault", "after_train", killed_by(SIGSEGV),
                        {"broch: SIGSEGV in callback 'bad' (test.hostile) during after_train"}, 1,
                        Left::finished));
    return cases;
  }();
  return cases;
}

const Cases& acts() {
  static const std::string who = "callback 'bad' (test.hostile)";
  static const std::string during = who + " during trigger_step, file {}/hostile.so";
  static const auto in_step = [](const std::string& what, int exit, std::vector<std::string> words,
                                 int after_train = 2, Left left = Left::earlier) {
    return act(what, "trigger_step", exit, std::move(words), after_train, left);
  };
  static const auto dies = [](const std::string& what, int number, const std::string& words) {
    return act(what, "trigger_step", killed_by(number), {words}, 0);
  };
  static const auto signalled = [](const std::string& what, const std::string& where, int signals,
                                   std::vector<std::string> words) {
    Case row = act(what, where, kTerminated, std::move(words), 0);
    row.signals = signals;
    return row;
  };
  static const auto two = [](const std::string& name, const Json& other, const Json& entry,
                             std::vector<std::string> words) -> Case {
    return {name,
            [=](Json& manifest, const Folder& folder) {
              as_callback(entry)(manifest, folder);
              as_monitor(other)(manifest, folder);
            },
            kTraining, std::move(words)};
  };
  static const auto other = [](const std::string& what, const std::string& where) {
    Json entry = bad(what, where);
    entry["name"] = "other";
    return entry;
  };
  static const Cases cases{
      in_step("throw int", kTraining, {who, "let int escape from trigger_step"}),
      dies("abort", SIGABRT, "broch: SIGABRT in " + during),
      dies("divide", SIGFPE, "broch: SIGFPE in " + during),
      dies("trap", SIGILL, "broch: SIGILL in " + during),
      dies("overflow", SIGSEGV, "broch: SIGSEGV in " + during),
      dies("truncate its file", SIGBUS, "broch: SIGBUS in " + during),
      dies("kill", SIGKILL, "acts in trigger_step"),
      dies("longjmp", SIGABRT, "broch: SIGABRT in " + during),
      two("longjmp over the host", other("jump", "process_scalar"),
          bad("ask to jump", "trigger_step"),
          {who, "jumped over a call of the host in trigger_step"}),
      in_step("exit", kTraining, {"broch: exit was called in " + during}, 0),
      in_step("exit on a thread", kTraining,
              {"broch: exit was called before the run ended, on a thread that was not announced"},
              0),
      in_step("fork", 0,
              {who + " came back from trigger_step in a process that it had forked",
               "Training has finished!"},
              2, Left::finished),
      in_step("fork and exit", 0, {"Training has finished!"}, 2, Left::finished),
      signalled("hang", "trigger_step", 2, {"broch: ended by a second signal in " + during}),
      in_step("outcome", kTraining, {who, "returned 4 from trigger_step, expected 0, 2 (STOP)"}),
      in_step("lowest status", kTraining, {who, "only status -2147483648"}),
      in_step("change rounding", kTraining,
              {who, "left floating-point control changed", "after trigger_step"}),
      in_step("unmask exceptions", kTraining, {who, "left floating-point control changed"}),
      // Nobody knows who of all that are called in a step it was.
      in_step("change directory", kTraining,
              {"a plugin violated the interface before the end of this epoch: changed the working "
               "directory from"}),
      in_step("change locale", kTraining,
              {"a plugin violated the interface", "changed the locale from"}),
      in_step("block signals", kTraining,
              {"a plugin violated the interface", "changed the signal mask ("}),
      in_step("take signals", kTraining,
              {"a plugin violated the interface", "changed what happens on SIGTERM"}),
      act("change directory", "trigger_epoch", kTraining,
          {who, "changed the working directory from", " in trigger_epoch"}),
      in_step("close files", 0, {"Training has finished!"}, 2, Left::finished),
      in_step("use a stale handle", kTraining, {who, "it was released"}),
      in_step("use a made-up handle", kTraining, {who, "tensor handle 0x1234567812345678"}),
      two("use a foreign handle", other("retain", ""), bad("use a foreign handle", "trigger_step"),
          {who, "it belongs to another instance"}),
      act("retain", "", 0, {"Training has finished!"}, 2, Left::finished),  // leaks each of them
      in_step("use a made-up host", kTraining,
              {who, "the host pointer belongs to no living instance"}),
      in_step("pass nothing", kTraining, {who, "put_scalar: name is NULL"}),
      in_step("write to no path", kTraining, {who, "log_dir/1 path: path is NULL"}),
      in_step("write without a name", kTraining, {who, "write_file: name is NULL"}),
      in_step("write no bytes", kTraining, {who, "write_file: bytes is NULL"}),
      in_step("show no label", kTraining, {who, "ui/1 begin: label is NULL"}),
      dies("write to a table", SIGSEGV, "broch: SIGSEGV in " + during),
      dies("write to the progress", SIGSEGV, "broch: SIGSEGV in " + during),
      in_step("leave a thread", 0, {"Training has finished!"}, 2, Left::finished),
      in_step("leave an announced thread", 0,
              {"Training has finished!", "left ", "of its threads running when it was destroyed"},
              2, Left::finished),
      dies("throw on a thread", SIGABRT,
           "broch: SIGABRT in code of {}/hostile.so of " + who +
               ", on a thread that was not announced"),
      dies("throw on an announced thread", SIGABRT,
           "broch: SIGABRT in " + who + " on its thread 'worker', file {}/hostile.so"),
      dies("segfault on a thread", SIGSEGV,
           "broch: SIGSEGV in code of {}/hostile.so of " + who +
               ", on a thread that was not announced"),
  };
  return cases;
}

const Cases& others() {
  static const std::string flow = "dataflow 'feed/bad' (test.hostile)";
  static const auto data = [](const std::string& what, const std::string& where, int exit,
                              std::vector<std::string> words, int after_train = 2) -> Case {
    const bool at_once = where == "open";
    return {what + " in " + where,
            as_dataflow(bad(what, where, at_once ? 0 : 2)),
            exit,
            std::move(words),
            after_train,
            at_once ? Left::nothing : Left::earlier};
  };
  static const auto point = [](const std::string& what, std::vector<std::string> words,
                               int exit = kData) {
    words.push_back(flow + " failed in next");
    return Case{what + " in a data point", as_dataflow(bad(what, "point")), exit, words};
  };
  static const auto monitor = [](const std::string& what, const std::string& where, int exit,
                                 std::vector<std::string> words, int after_train) -> Case {
    return {what + " in a monitor",
            as_monitor(bad(what, where)),
            exit,
            std::move(words),
            after_train,
            exit == 0 ? Left::finished : Left::earlier};
  };
  static const auto state = [](const std::string& what, int exit, const std::string& words,
                               int after_train) {
    return act(what, "save", exit, {words}, after_train);
  };
  static Case hanging = data("hang", "next", kTerminated,
                             {flow, "did not return from next within 5 seconds of the signal"});
  hanging.signals = 1;
  static const Cases cases{
      data("throw", "open", kTraining, {flow, "escape from open"}),
      data("segfault", "open", killed_by(SIGSEGV), {"broch: SIGSEGV in " + flow + " during open"},
           0),
      data("throw", "next", kTraining, {flow, "escape from next"}),
      data("segfault", "next", killed_by(SIGSEGV), {"broch: SIGSEGV in " + flow + " during next"},
           0),
      data("garbage status", "next", kTraining, {flow, "returned 12345 from next"}),
      hanging,
      point("no memory", {}),
      point("no shape", {}),
      point("negative shape", {"-5"}),
      point("vast shape", {}),
      point("many dimensions", {}),
      point("odd type", {}),
      point("other device", {}),
      point("long cursor", {"65536"}, kTraining),
      // What a monitor loses does not end the training.
      monitor("throw", "process_scalar", 0,
              {"escape from process_scalar", "monitor 'bad' has failed 6 times"}, 2),
      monitor("garbage status", "trigger_epoch", 0,
              {"returned 12345 from trigger_epoch", "The training goes on; monitor 'bad' misses"},
              2),
      monitor("segfault", "process_scalar", killed_by(SIGSEGV),
              {"broch: SIGSEGV in monitor 'bad' (test.hostile) during process_scalar"}, 0),
      state("throw", kTraining, "escape from save", 2),
      state("garbage status", kTraining, "returned 12345 from save", 2),
      state("segfault", killed_by(SIGSEGV),
            "broch: SIGSEGV in callback 'bad' (test.hostile) during save", 0),
  };
  return cases;
}

// All at the same time, so that what hangs is waited for once.
const Result& result_of(const Case& row) {
  static const std::vector<const Cases*> tables{&loading(), &life(), &hooks(), &acts(), &others()};
  static const std::map<const Case*, Result> results = [] {
    Cases all;
    std::vector<const Case*> rows;
    for (const Cases* table : tables)
      for (const Case& one : *table) all.push_back(one), rows.push_back(&one);
    std::map<const Case*, Result> results;
    std::vector<Result> list = perform(all);
    for (size_t i = 0; i < rows.size(); ++i) results[rows[i]] = std::move(list[i]);
    return results;
  }();
  return results.at(&row);
}

void check_all(const Cases& cases) {
  for (const Case& row : cases) check(row, result_of(row));
}

}  // namespace

TEST_CASE("outcomes: of libraries that cannot be loaded, or do harm when they are") {
  check_all(loading());
}

TEST_CASE("outcomes: of instances that are made, asked and ended badly") { check_all(life()); }

TEST_CASE("outcomes: of each hook of a callback that throws, crashes or answers garbage") {
  check_all(hooks());
}

TEST_CASE("outcomes: of all that a callback can do to its host") { check_all(acts()); }

TEST_CASE("outcomes: of dataflows, data points, monitors and states") { check_all(others()); }

}  // namespace broch::hostile
