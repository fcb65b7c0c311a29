// server.cpp: a thread that reads requests and queues them. The main thread of the run carries them
// out.
#include "control/server.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "answer.hpp"
#include "base/error.hpp"
#include "base/event_fd.hpp"
#include "base/log.hpp"
#include "base/signals.hpp"
#include "base/text.hpp"
#include "socket.hpp"

namespace broch::control {
namespace {

using value::Value;
using What = Request::What;
using Time = std::chrono::steady_clock;

constexpr size_t kMostClients = 16;
constexpr std::chrono::seconds kReadTime{5};  // for a request to arrive completely
constexpr timeval kSendTime{2, 0};            // for an answer to be sent
constexpr int kPoll = 500;                    // milliseconds between checks of the deadlines

struct Client {
  uint64_t id;
  Descriptor socket;
  ucred who;
  Time::time_point until;
  std::string input = {};
  bool waits = false;  // its request is in the queue
};

struct Posted {
  uint64_t client;
  Request request;
};

std::string words_of(const Request& request) {
  switch (request.what) {
    case What::status:
      return "status";
    case What::stop:
      return "stop";
    case What::save:
      return "save";
    case What::set:
      return "set " + request.name + "=" + request.value;
  }
  return "";
}

}  // namespace

class Server::Thread {
 public:
  Thread(const std::string& log_dir, Parts parts)
      : parts_(std::move(parts)),
        folder_(open_folder(log_dir)),
        listening_(folder_ ? listen_in(folder_) : Descriptor()) {
    if (!listening_)
      throw base::Error(base::Exit::data, {log_dir + "/" + kSocketName, std::strerror(errno),
                                           "a socket for broch ctl",
                                           "keep log_dir in a folder that can have sockets"});
    thread_ = std::thread([this] { serve(); });
  }

  ~Thread() {
    ending_ = true;
    wake_.announce();
    thread_.join();
    unlinkat(folder_.get(), kSocketName, 0);
  }

  void publish() {
    Value status = parts_.status();
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
  }

  // Requests are carried out without the lock, so neither thread holds it for long.
  void take() {
    std::vector<Posted> requests;
    {
      const std::lock_guard lock(mutex_);
      requests.swap(posted_);
    }
    std::vector<std::pair<uint64_t, Value>> answers;
    for (const Posted& posted : requests)
      answers.emplace_back(posted.client, perform(posted.request));
    publish();
    const std::lock_guard lock(mutex_);
    for (auto& answer : answers) answers_.push_back(std::move(answer));
    if (!answers_.empty()) wake_.announce();
  }

 private:
  Value perform(const Request& request) const {
    try {
      return consent(parts_.perform(request));
    } catch (const Refused& error) {
      base::warning("control: " + words_of(request) + ": " + error.what());
      return refusal(error);
    }
  }

  void serve() {
    base::block_signals();
    while (!ending_) {
      wait();
      send_answers();
      read_clients();
      accept_client();
    }
    send_answers();  // those that became ready meanwhile
    for (const Client& client : clients_)
      if (client.waits)
        send_all(
            client.socket.get(),
            to_line(refusal(base::Exit::data, "the run ended before it carried out this request",
                            "a run that continues", "")));
  }

  void wait() {
    std::vector<pollfd> events{{wake_.descriptor(), POLLIN, 0}};
    if (clients_.size() < kMostClients && Time::now() >= accept_again_)
      events.push_back({listening_.get(), POLLIN, 0});
    for (const Client& client : clients_)
      if (!client.waits) events.push_back({client.socket.get(), POLLIN, 0});
    poll(events.data(), events.size(), kPoll);
    wake_.clear();
  }

  void send_answers() {
    std::vector<std::pair<uint64_t, Value>> answers;
    {
      const std::lock_guard lock(mutex_);
      answers.swap(answers_);
    }
    for (const auto& [id, answer] : answers) {
      const auto client = std::ranges::find(clients_, id, &Client::id);
      if (client == clients_.end()) continue;
      send_all(client->socket.get(), to_line(answer));
      clients_.erase(client);
    }
  }

  void read_clients() {
    std::erase_if(clients_, [this](Client& client) { return !client.waits && !read_some(client); });
  }

  // Returns false when the connection is finished.
  bool read_some(Client& client) {
    char bytes[kMaxRequest];
    const ssize_t count = recv(client.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0) return (errno == EAGAIN || errno == EINTR) && Time::now() < client.until;
    client.input.append(bytes, size_t(count));
    const size_t end = client.input.find('\n');
    if (end == std::string::npos && client.input.size() < kMaxRequest) return count > 0;
    const std::optional<Value> answer = handle(client, client.input.substr(0, end));
    if (answer) send_all(client.socket.get(), to_line(*answer));
    return !answer;
  }

  // Returns nothing if the main thread has to answer.
  std::optional<Value> handle(Client& client, const std::string& line) {
    const std::string who =
        "user " + std::to_string(client.who.uid) + ", process " + std::to_string(client.who.pid);
    Request request;
    try {
      request = parse_request(line);
    } catch (const base::Error& error) {
      base::warning("control: refused what " + who + " asked: " + error.what());
      return refusal(error);
    }
    base::info("control: " + words_of(request) + ", asked by " + who);
    if (request.what == What::status) return status();
    if (request.what == What::stop) {
      parts_.stop();
      return consent(Value{Value::Object{}});
    }
    client.waits = true;
    const std::lock_guard lock(mutex_);
    posted_.push_back({client.id, request});
    parts_.notify();
    return std::nullopt;
  }

  Value status() {
    const std::lock_guard lock(mutex_);
    Value answer = consent(status_);
    answer.set("global_step", Value(parts_.global_step()));
    return answer;
  }

  void accept_client() {
    if (clients_.size() >= kMostClients || Time::now() < accept_again_) return;
    pollfd event{listening_.get(), POLLIN, 0};
    if (poll(&event, 1, 0) != 1) return;
    Descriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    // If there is no free file descriptor, the connection stays in the queue of the socket. It is
    // tried again after a second.
    if (!socket) {
      accept_again_ = Time::now() + std::chrono::seconds(1);
      return;
    }
    ucred who{};
    socklen_t size = sizeof who;
    const bool known = getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
    setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kSendTime, sizeof kSendTime);
    if (!known || who.uid != geteuid()) {
      base::warning("control: refused a connection of user " + std::to_string(who.uid));
      return send_all(socket.get(),
                      to_line(refusal(base::Exit::data, "user " + std::to_string(who.uid),
                                      "the user who started the run", "ask as that user")));
    }
    clients_.push_back({++last_client_, std::move(socket), who, Time::now() + kReadTime});
  }

  const Parts parts_;
  const Descriptor folder_, listening_;
  const base::EventFd wake_;
  std::list<Client> clients_;  // used by the serving thread alone, like the next two
  uint64_t last_client_ = 0;
  Time::time_point accept_again_{};
  std::atomic<bool> ending_{false};
  std::mutex mutex_;  // protects the members below
  std::vector<Posted> posted_;
  std::vector<std::pair<uint64_t, Value>> answers_;
  Value status_{Value::Object{}};
  std::thread thread_;
};

Server::Server(const std::string& log_dir, Parts parts)
    : thread_(std::make_unique<Thread>(log_dir, std::move(parts))) {}
Server::~Server() = default;
void Server::take() { thread_->take(); }
void Server::publish() { thread_->publish(); }

}  // namespace broch::control
