// client.cpp: sends a request to a running process.
#include "control/client.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "answer.hpp"
#include "base/error.hpp"
#include "socket.hpp"
#include "value/json.hpp"

namespace broch::control {

using value::Value;
using Time = std::chrono::steady_clock;

namespace {

constexpr size_t kLongestAnswer = size_t{1} << 28;  // bytes: a run may have very many metrics

[[noreturn]] void no_answer(const std::string& log_dir, std::chrono::seconds patience,
                            const std::string& expected, const std::string& hint) {
  base::fail(base::Exit::data, log_dir,
             "no answer within " + std::to_string(patience.count()) + " s", expected, hint);
}

Descriptor connect_to(const std::string& log_dir, std::chrono::seconds patience) {
  const Descriptor folder = open_folder(log_dir);
  if (!folder)
    base::fail(base::Exit::data, log_dir, std::strerror(errno), "the log folder of a run",
               "check the path");
  Descriptor socket = connect_in(folder, patience);
  if (socket) return socket;
  if (errno == EAGAIN)
    no_answer(log_dir, patience, "a run that takes requests",
              "its process is suspended or hangs, and others wait already; kill -CONT continues a "
              "suspended one");
  if (errno == ENOENT || errno == ECONNREFUSED)
    base::fail(base::Exit::data, log_dir, "no run that is active there on this machine",
               "the log folder of an active run", "broch run ls FOLDER shows the state of runs");
  base::fail(base::Exit::data, log_dir + "/" + kSocketName, std::strerror(errno),
             "the user who started the run", "ask as that user");
}

std::string receive_line(int fd, const std::string& log_dir, std::chrono::seconds patience) {
  const Time::time_point until = Time::now() + patience;
  std::string text;
  while (!text.ends_with('\n')) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Time::now()).count();
    pollfd event{fd, POLLIN, 0};
    if (left <= 0 || poll(&event, 1, int(left)) == 0)
      no_answer(log_dir, patience, "the end of a step",
                "the request is carried out then; a longer --timeout waits for it");
    char bytes[4096];
    const ssize_t count = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0)
      base::fail(base::Exit::data, log_dir, "the run ended before it answered", "an answer", "");
    text.append(bytes, size_t(count));
    if (text.size() > kLongestAnswer)
      base::fail(base::Exit::data, log_dir, "an answer without an end", "one line",
                 "use the same version of broch");
  }
  return text;
}

}  // namespace

Value ask_training(const std::string& log_dir, const std::string& line,
                   std::chrono::seconds patience) {
  if (line.find('\n') != std::string::npos)
    base::fail(base::Exit::usage, log_dir, "a request of several lines", "one line",
               "write a name and a value without line breaks");
  const Descriptor socket = connect_to(log_dir, patience);
  send_all(socket.get(), line + "\n");
  value::Dialect dialect;
  dialect.exit = base::Exit::data;
  dialect.limits.text_bytes = dialect.limits.nodes = kLongestAnswer;
  Value answer = value::parse_text("the answer of " + log_dir,
                                   receive_line(socket.get(), log_dir, patience), dialect);
  const Value* ok = answer.find("ok");
  if (ok && ok->is(Value::Kind::boolean) && ok->boolean()) {
    answer.remove("schema");
    answer.remove("ok");
    return answer;
  }
  const Value *error = answer.find("error"), *exit = answer.find("exit");
  if (!error || !error->is(Value::Kind::string) || !exit || !exit->is(Value::Kind::integer))
    base::fail(base::Exit::data, log_dir, "an invalid answer", "the answer of a run",
               "use the same version of broch");
  throw base::Error(base::Exit(exit->integer()), error->string());
}

}  // namespace broch::control
