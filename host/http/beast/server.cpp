// server.cpp: listens, and has threads that serve the connections.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "connection.hpp"

namespace broch::http {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kPause = std::chrono::milliseconds(100);  // after a failure to accept
constexpr size_t kRefusedAtOnce = 64;  // connections above the limit that still get an answer

// What open_server reports.
struct Problem {
  std::string where, found, expected;
};

// Of what OpenSSL cannot open, it says only that, and a pipe would be waited for.
void require_file(const std::string& file, const std::string& expected) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || ::access(file.c_str(), R_OK) != 0)
    throw Problem{file, std::strerror(errno), expected};
  if (S_ISDIR(status.st_mode)) throw Problem{file, "a folder", expected};
  if (!S_ISREG(status.st_mode)) throw Problem{file, "no regular file", expected};
}

void load_certificates(asio::ssl::context& tls, const std::string& file) {
  const std::string expected = "certificates as PEM";
  require_file(file, expected);
  error_code error;
  tls.use_certificate_chain_file(file, error);
  if (error) throw Problem{file, error.message(), expected};
}

void load_key(asio::ssl::context& tls, const std::string& file) {
  const std::string expected = "the private key of the certificate, as PEM";
  require_file(file, expected);
  const auto is_encrypted = std::make_shared<bool>(false);
  // Otherwise OpenSSL asks at the terminal.
  tls.set_password_callback([is_encrypted](size_t, asio::ssl::context::password_purpose) {
    *is_encrypted = true;
    return std::string();
  });
  error_code error;
  tls.use_private_key_file(file, asio::ssl::context::pem, error);
  if (error && *is_encrypted)
    throw Problem{
        file, "a key that is encrypted",
        "one without a pass phrase, as `openssl pkey -in " + file + " -out NEW` writes it"};
  if (error) throw Problem{file, error.message(), expected};
}

asio::ssl::context tls_context(const Options& options) {
  asio::ssl::context tls(asio::ssl::context::tls_server);
  using Flags = asio::ssl::context_base;
  tls.set_options(Flags::default_workarounds | Flags::no_sslv2 | Flags::no_sslv3 | Flags::no_tlsv1 |
                  Flags::no_tlsv1_1);
  load_certificates(tls, options.certificate);
  load_key(tls, options.key);
  return tls;
}

class BeastServer final : public Server {
 public:
  // Throws Problem.
  BeastServer(const Options& options, Handler& handler)
      : shared_{.options = options, .handler = handler, .tls = nullptr},
        work_(context_.get_executor()),
        acceptor_(asio::make_strand(context_)),
        pause_(acceptor_.get_executor()) {
    if (!options.certificate.empty()) shared_.tls = &tls_.emplace(tls_context(options));
    listen(options);
    asio::post(acceptor_.get_executor(), [this] { accept(); });
    start_threads(std::max(1U, options.threads));
  }
  ~BeastServer() override { end_threads(); }

  uint16_t port() const override { return port_; }
  size_t connections() const override { return shared_.count(); }

  bool stop(double seconds) override {
    shared_.ending = true;
    asio::post(acceptor_.get_executor(), [this] {
      error_code ignored;
      acceptor_.close(ignored);
      pause_.cancel();
    });
    std::unique_lock lock(shared_.mutex);
    for (Live* const one : shared_.live) one->end_if_idle();
    const bool finished = shared_.none_left.wait_for(lock, std::chrono::duration<double>(seconds),
                                                     [this] { return shared_.live.empty(); });
    lock.unlock();
    end_threads();
    return finished;
  }

 private:
  void listen(const Options& options) {
    const std::string where = options.address + ":" + std::to_string(options.port);
    error_code error;
    const asio::ip::address address = asio::ip::make_address(options.address, error);
    if (error) throw Problem{where, "no IP address", "one such as 127.0.0.1, 0.0.0.0 or ::1"};
    const tcp::endpoint endpoint(address, options.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (error) throw Problem{where, error.message(), "an address of this machine and a free port"};
    port_ = acceptor_.local_endpoint().port();
  }

  void accept() {
    acceptor_.async_accept(
        asio::make_strand(context_), [this](error_code error, tcp::socket socket) {
          if (!acceptor_.is_open()) return;
          if (error) {  // such as too many open files
            pause_.expires_after(kPause);
            return pause_.async_wait([this](error_code ended) {
              if (!ended) accept();
            });
          }
          const size_t count = shared_.count(), most = shared_.options.most_connections;
          if (count < most + kRefusedAtOnce)
            start_connection(shared_, std::move(socket), count >= most);
          accept();
        });
  }

  void start_threads(unsigned count) try {
    for (unsigned i = 0; i < count; ++i)
      threads_.emplace_back([this] {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        context_.run();
      });
  } catch (const std::system_error& error) {
    end_threads();
    throw Problem{"the threads of the server", error.code().message(),
                  "room for " + std::to_string(count) + ", see ulimit -u"};
  }

  void end_threads() {
    work_.reset();
    context_.stop();
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  std::optional<asio::ssl::context> tls_;
  mutable Shared shared_;  // outlives the connections, which end with the context
  asio::io_context context_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  uint16_t port_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace
}  // namespace broch::http

extern "C" __attribute__((visibility("default"))) broch::http::Server* broch_http_open(
    const broch::http::Options& options, broch::http::Handler& handler, std::string& where,
    std::string& found, std::string& expected) {
  try {
    return new broch::http::BeastServer(options, handler);
  } catch (const broch::http::Problem& problem) {
    where = problem.where;
    found = problem.found;
    expected = problem.expected;
  } catch (const std::exception& error) {
    where = "the server";
    found = error.what();
  }
  return nullptr;
}
