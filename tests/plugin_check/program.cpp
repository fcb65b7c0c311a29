// program.cpp: fork, exec, read.
#include "program.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace broch::plugin_check_test {

Outcome check(const Words& words, const std::string& folder, int open_files) {
  std::vector<std::string> all = {"broch", "plugin", "check"};
  all.insert(all.end(), words.begin(), words.end());
  int ends[2];
  if (pipe(ends) != 0) return {-1, ""};
  const pid_t pid = fork();
  if (pid == 0) {
    std::vector<char*> arguments;
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(126);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    const rlimit limit{rlim_t(open_files), rlim_t(open_files)};
    if (open_files > 0) setrlimit(RLIMIT_NOFILE, &limit);
    execv(BROCH_PROGRAM, arguments.data());
    _exit(126);
  }
  close(ends[1]);
  Outcome outcome{-1, ""};
  char part[4096];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) outcome.out.append(part, size_t(n));
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

Report report(Words words, const std::string& folder) {
  words.push_back("--json");
  const Outcome outcome = check(words, folder);
  return {outcome.exit_code, Json::parse(outcome.out)};
}

std::vector<Json> Report::tests(const std::string& name, const std::string& status) const {
  std::vector<Json> found;
  for (const Json& test : whole.at("tests"))
    if (test.at("name") == name && test.at("status") == status) found.push_back(test);
  return found;
}

std::string describe_failures(const Report& report) {
  std::string text;
  for (const Json& test : report.whole.at("tests"))
    if (test.at("status") == "failed")
      text += "failed " + test.at("name").get<std::string>() + " of " +
              test.at("component").dump() + ": " + test.at("message").get<std::string>() + "\n" +
              test.at("output").get<std::string>() + "\n";
  return text;
}

}  // namespace broch::plugin_check_test
