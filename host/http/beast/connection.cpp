// connection.cpp: the states of a connection. All its functions run on its strand.
#include "connection.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>
#include <cctype>
#include <chrono>
#include <new>

namespace broch::http {
namespace {

namespace beast = boost::beast;
namespace wire = boost::beast::http;
using boost::system::error_code;
using Plain = asio::ip::tcp::socket;
using Tls = asio::ssl::stream<Plain>;

constexpr size_t kReadBytes = 4096;
constexpr double kLingerSeconds = 2, kCancelSeconds = 0.05;
constexpr size_t kMostDiscarded = 256 << 20;
// Bytes that have arrived and are not understood yet. Beast limits the header of a request, but
// neither that of a chunk nor the trailer of a body.
constexpr size_t kMostBuffered = 64 << 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::nanoseconds(int64_t(seconds * 1e9));
}

// "/v2" of "http://machine/v2", too: servers have to accept whole addresses (RFC 9112, 3.2.2).
std::string path_of(const std::string& target) {
  const size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == target.npos) return target;
  const size_t path = target.find_first_of("/?", scheme + 3);
  if (path == target.npos) return "/";
  return (target[path] == '?' ? "/" : "") + target.substr(path);
}

Request head_of(const wire::request<wire::string_body>& message) {
  Request head{
      std::string(message.method_string()), path_of(std::string(message.target())), {}, {}};
  for (const auto& field : message) {
    std::string name(field.name_string());
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    head.headers.emplace_back(std::move(name), std::string(field.value()));
  }
  return head;
}

// A name or an address, and a port (RFC 3986, 3.2.2).
bool may_be_in_host(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("-._~%!$&'()*+,;=:[]").find(c) != std::string_view::npos;
}

// Of all bodies that the server holds; given back at the end.
class Hold {
 public:
  Hold(Shared& shared, size_t bytes) : shared_(shared), bytes_(bytes) {
    fits_ = (shared_.held_bytes += bytes_) <= shared_.options.most_held_bytes;
  }
  ~Hold() { shared_.held_bytes -= bytes_; }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  bool fits() const { return fits_; }

 private:
  Shared& shared_;
  const size_t bytes_;
  bool fits_;
};

template <class Stream>
class Connection final : public Live, public std::enable_shared_from_this<Connection<Stream>> {
 public:
  template <class... Arguments>
  Connection(Shared& shared, Plain socket, Arguments&... tls)
      : shared_(shared), stream_(std::move(socket), tls...), timer_(stream_.get_executor()) {
    const std::lock_guard lock(shared_.mutex);
    shared_.live.insert(this);
  }
  ~Connection() override {
    const std::lock_guard lock(shared_.mutex);
    shared_.live.erase(this);
    if (shared_.live.empty()) shared_.none_left.notify_all();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start(bool refused) {
    asio::post(stream_.get_executor(), [this, refused, self = this->shared_from_this()] {
      error_code ignored;
      socket().set_option(asio::ip::tcp::no_delay(true), ignored);
      if (!refused) return shake_hands();
      unread_ = true;
      refuse(503, "too many connections",
             "at most " + std::to_string(shared_.options.most_connections));
    });
  }

  void end_if_idle() override {
    auto self = this->weak_from_this().lock();
    if (!self) return;  // it is being closed
    asio::post(stream_.get_executor(), [this, self = std::move(self)] {
      if (idle_) close();
    });
  }

 private:
  static constexpr bool kIsTls = std::is_same_v<Stream, Tls>;

  Plain& socket() {
    if constexpr (kIsTls)
      return stream_.next_layer();
    else
      return stream_;
  }

  // The next operation has so much time. A timer that was set before does nothing any more.
  void limit(double seconds) {
    timed_out_ = false;
    cancel_after(seconds, ++turn_);
  }
  // Again and again, since an operation that is between two reads does not notice.
  void cancel_after(double seconds, uint64_t turn) {
    timer_.expires_after(duration(seconds));
    timer_.async_wait([this, self = this->shared_from_this(), turn](error_code error) {
      if (error || turn != turn_) return;
      timed_out_ = true;
      error_code ignored;
      socket().cancel(ignored);
      cancel_after(kCancelSeconds, turn);
    });
  }
  void lift_limit() {
    ++turn_;
    timer_.cancel();
  }

  // A handler of asynchronous operations that keeps this connection alive.
  template <class Then>
  auto then(Then next) {
    return [self = this->shared_from_this(), next](error_code error, size_t bytes = 0) {
      self->lift_limit();
      next(error, bytes);
    };
  }

  void shake_hands() {
    if constexpr (kIsTls) {
      limit(shared_.options.transfer_seconds);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              then([this](error_code error, size_t) {
                                if (error)
                                  close();
                                else
                                  wait_for_request();
                              }));
    } else {
      wait_for_request();
    }
  }

  void wait_for_request() {
    head_.reset();
    parser_.reset();
    hold_.reset();
    if (buffer_.size() > 0) return read_header();  // the next one has arrived already
    if (shared_.ending) return end();
    idle_ = true;
    limit(shared_.options.idle_seconds);
    stream_.async_read_some(buffer_.prepare(kReadBytes), then([this](error_code error, size_t n) {
                              idle_ = false;
                              if (error) return close();
                              buffer_.commit(n);
                              read_header();
                            }));
  }

  void read_header() {
    parser_.emplace();
    parser_->header_limit(uint32_t(shared_.options.most_header_bytes));
    parser_->body_limit(UINT64_MAX);  // checked below, when the length is known
    limit(shared_.options.transfer_seconds);
    wire::async_read_header(stream_, buffer_, *parser_, then([this](error_code error, size_t) {
                              if (error) return refuse_broken(error);
                              check_head();
                            }));
  }

  void check_head() {
    const auto& message = parser_->get();
    const Options& options = shared_.options;
    head_ = head_of(message);
    unread_ = !parser_->is_done();
    if (message.version() != 10 && message.version() != 11)
      return refuse(505, "another version of HTTP", "HTTP/1.1 or 1.0");
    if (!has_host())
      return refuse(400, "no header Host, several, or one with other characters",
                    "one, which HTTP/1.1 asks for");
    // Otherwise it is not known where the body ends, which a proxy may understand in another way.
    if (has_other_coding())
      return refuse(400, "a transfer coding other than chunked of HTTP/1.1",
                    "it, or a Content-Length");
    if (auto response = asked([&] { return shared_.handler.refusal_of(*head_); }))
      return respond(std::move(*response));
    const auto length = parser_->content_length();
    if (length && *length > options.most_body_bytes)
      return refuse(413, "a body of " + std::to_string(*length) + " bytes",
                    "at most " + std::to_string(options.most_body_bytes));
    // Without a length, it may become as long as any.
    hold_.emplace(shared_, unread_ ? length.value_or(options.most_body_bytes) : 0);
    if (!hold_->fits())
      return refuse(503,
                    std::string("too many ") +
                        (length ? "large requests" : "requests without Content-Length") +
                        " at the same time",
                    "fewer; try again later");
    const std::string_view expectation = head_->header("expect");
    if (!expectation.empty() && !beast::iequals(as_beast(expectation), "100-continue"))
      return refuse(417, "an expectation other than 100-continue", "none");
    if (!unread_) return handle();
    // A client of HTTP/1.0 would take a 100 for the answer (RFC 9110, 10.1.1).
    if (expectation.empty() || message.version() == 10) return read_body();
    limit(options.transfer_seconds);
    asio::async_write(stream_, asio::buffer(kContinue), then([this](error_code error, size_t) {
                        if (error) return close();
                        read_body();
                      }));
  }

  // One for HTTP/1.1, at most one for HTTP/1.0 (RFC 9112, 3.2).
  bool has_host() const {
    size_t count = 0;
    for (const auto& [name, value] : head_->headers) {
      if (name != "host") continue;
      if (!std::ranges::all_of(value, &may_be_in_host)) return false;
      ++count;
    }
    return count == 1 || (count == 0 && parser_->get().version() == 10);
  }

  bool has_other_coding() const {
    return std::ranges::any_of(head_->headers, [this](const auto& header) {
      return header.first == "transfer-encoding" &&
             (parser_->get().version() == 10 ||
              !beast::iequals(as_beast(header.second), "chunked"));
    });
  }

  static beast::string_view as_beast(std::string_view text) { return {text.data(), text.size()}; }

  void read_body() {
    parser_->body_limit(shared_.options.most_body_bytes);
    limit(shared_.options.transfer_seconds);
    wire::async_read(stream_, buffer_, *parser_, then([this](error_code error, size_t) {
                       if (error) return refuse_broken(error);
                       unread_ = false;
                       handle();
                     }));
  }

  void handle() {
    Request request = *head_;  // whose body is still with the parser
    request.body = std::move(parser_->get().body());
    // The strand is left while others answer; nothing else happens on this connection meanwhile.
    const auto answer = [self = this->shared_from_this()](std::function<Response()> make) {
      asio::post(self->stream_.get_executor(), [self, make = std::move(make)] {
        self->respond(*self->asked([&] { return std::optional(make()); }));
      });
    };
    auto failed = asked([&]() -> std::optional<Response> {
      shared_.handler.handle(std::move(request), answer);
      return std::nullopt;
    });
    if (failed) respond(std::move(*failed));
  }

  // What the handler says, or a response that it has failed.
  template <class Ask>
  std::optional<Response> asked(const Ask& ask) {
    try {
      return ask();
    } catch (const std::bad_alloc&) {
      return shared_.handler.failure(503, "out of memory", "a smaller request");
    } catch (const std::exception& error) {
      return shared_.handler.failure(500, error.what(), "");
    }
  }

  // What could not be read to its end.
  void refuse_broken(error_code error) {
    unread_ = true;
    if (timed_out_)
      return refuse(
          408, "a request that has not arrived to its end",
          "all of it within " + std::to_string(int(shared_.options.transfer_seconds)) + " seconds");
    if (error == wire::error::bad_version)
      return refuse(505, "another version of HTTP", "HTTP/1.1 or 1.0");
    if (error == wire::error::header_limit)
      return refuse(431, "a header that is too long",
                    "at most " + std::to_string(shared_.options.most_header_bytes) + " bytes");
    if (error == wire::error::buffer_overflow)
      return refuse(431, "a chunk whose header, or a body whose trailer, is too long",
                    "at most " + std::to_string(kMostBuffered) + " bytes");
    if (error == wire::error::body_limit)
      return refuse(413, "a body that is too long",
                    "at most " + std::to_string(shared_.options.most_body_bytes) + " bytes");
    if (error == wire::error::partial_message)
      return refuse(400, "a request that ends before its end", "all of it");
    if (error.category() == wire::make_error_code(wire::error::bad_method).category() &&
        error != wire::error::end_of_stream)
      return refuse(400, "a malformed request (" + error.message() + ")", "HTTP/1.1");
    close();
  }

  // The rest of this connection cannot be understood any more, so it is closed afterwards.
  void refuse(int status, const std::string& found, const std::string& expected) {
    ends_ = true;
    respond(shared_.handler.failure(status, found, expected));
  }

  void respond(Response response) {
    hold_.reset();
    shared_.handler.responds(head_ ? &*head_ : nullptr, response.status);
    const bool keeps = parser_ && parser_->is_header_done() && parser_->keep_alive() && !unread_ &&
                       !ends_ && !shared_.ending;
    ends_ = !keeps;
    const unsigned version = head_ ? parser_->get().version() : 11;
    message_ = {wire::status(response.status), version == 10 ? 10U : 11U};
    message_.set(wire::field::server, "broch");
    if (!response.type.empty()) message_.set(wire::field::content_type, response.type);
    for (const auto& [name, value] : response.headers) message_.set(name, value);
    message_.body() = std::move(response.body);
    message_.keep_alive(keeps);
    message_.content_length(message_.body().size());
    if (head_ && head_->method == "HEAD")
      message_.body().clear();  // its length is told all the same
    limit(shared_.options.transfer_seconds);
    wire::async_write(stream_, message_, then([this](error_code error, size_t) {
                        if (error) return close();
                        message_ = {};
                        if (ends_) return end();
                        wait_for_request();
                      }));
  }

  // Closes the connection so that the last response arrives: if a socket is closed while bytes are
  // unread, the other side is told to forget what it has not read either.
  void end() {
    error_code ignored;
    if (!unread_ && buffer_.size() == 0) {
      if constexpr (kIsTls) {
        limit(kLingerSeconds);
        return stream_.async_shutdown(then([this](error_code, size_t) { close(); }));
      }
      return close();
    }
    socket().shutdown(Plain::shutdown_send, ignored);
    linger_until_ = std::chrono::steady_clock::now() + duration(kLingerSeconds);
    buffer_.clear();
    discard(0);
  }

  void discard(size_t discarded) {
    const std::chrono::duration<double> left = linger_until_ - std::chrono::steady_clock::now();
    if (left.count() <= 0 || discarded > kMostDiscarded) return close();
    limit(left.count());
    socket().async_read_some(buffer_.prepare(kReadBytes * 16),
                             then([this, discarded](error_code error, size_t n) {
                               if (error) return close();
                               discard(discarded + n);
                             }));
  }

  void close() {
    error_code ignored;
    socket().shutdown(Plain::shutdown_both, ignored);
    socket().close(ignored);
  }

  Shared& shared_;
  Stream stream_;
  asio::steady_timer timer_;
  uint64_t turn_ = 0;
  bool timed_out_ = false, idle_ = false, ends_ = false;
  bool unread_ = false;  // something of the request is still to come
  std::chrono::steady_clock::time_point linger_until_;
  beast::flat_buffer buffer_{kMostBuffered};
  std::optional<wire::request_parser<wire::string_body>> parser_;
  std::optional<Request> head_;
  std::optional<Hold> hold_;
  wire::response<wire::string_body> message_;
};

}  // namespace

void start_connection(Shared& shared, Plain socket, bool refused) {
  if (!shared.tls)
    std::make_shared<Connection<Plain>>(shared, std::move(socket))->start(refused);
  else if (!refused)  // which nobody would understand before the handshake
    std::make_shared<Connection<Tls>>(shared, std::move(socket), *shared.tls)->start(false);
}

}  // namespace broch::http
