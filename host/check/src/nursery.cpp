// nursery.cpp: the parent's side: orders a process for a test, and ends it at the deadline.
#include "nursery.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "nursery_line.hpp"

namespace broch::check {

Nursery::Line::Line() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw base::Error(base::Exit::data,
                      {"checking a plugin", std::string("socketpair failed: ") + strerror(errno),
                       "a process for each test", "check the limits of open files"});
  own = ends[0];
  other = ends[1];
}

Nursery::Line::~Line() {
  close(own);
  if (other >= 0) close(other);
}

Nursery::Nursery(const std::vector<std::string>& arguments)
    : process_(arguments,
               {scene_.folder.path().c_str(), line_.other, scene_.verdict.fd(), scene_.output.fd()},
               false) {
  close(std::exchange(line_.other, -1));
}

// Without a deadline that has passed, the test can be run in another way.
std::optional<Ended> Nursery::give_up(const Scene& scene, bool late) {
  gone_ = true;
  const int status = process_.end();
  if (!late) return std::nullopt;
  Ended ended = read(scene, status);
  ended.late = true;
  return ended;
}

std::optional<Ended> Nursery::run(const Job& job, double seconds) {
  const Scene scene;
  const auto begin = Clock::now(), end = after(seconds);
  if (!send_order(line_.own, {job, scene.folder.path(), scene.verdict.fd(), scene.output.fd()}))
    return give_up(scene, false);
  if (!wait_for(line_.own, end)) return give_up(scene, true);
  const std::optional<int> pid = receive_number(line_.own);
  if (!pid) return give_up(scene, false);
  if (*pid < 0) return std::nullopt;
  const bool in_time = wait_for(line_.own, end);
  kill(-*pid, SIGKILL);
  const std::optional<int> status = receive_number(line_.own);
  if (!status) return give_up(scene, !in_time);
  Ended ended = read(scene, *status);
  ended.late = !in_time;
  ended.seconds = seconds_since(begin);
  return ended;
}

}  // namespace broch::check
