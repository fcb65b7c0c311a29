// access_test.cpp: who may ask, and options that are refused.
#include <sys/stat.h>

#include <cstdlib>

#include "serving.hpp"

using namespace broch::serve_test;

namespace {

const std::string kToken = "0123456789abcdef-secret";

void check_refused(const std::vector<std::string>& words, int exit, const std::string& part) {
  const Folder folder;
  Server server(folder, words);
  CAPTURE(part);
  CHECK(server.wait() == exit);
  CHECK_MESSAGE(server.log().find(part) != std::string::npos, server.log());
}

}  // namespace

TEST_CASE("serve: a token") {
  const Folder folder;
  folder.write("token", kToken + "\n");
  chmod((folder / "token").c_str(), 0600);
  const Server server(folder, {write_linear(folder), "--token-file", folder / "token"});
  Client client(server.port());
  const auto ask = [&](const std::string& path, const std::string& authorization) {
    return client.ask(get(path, authorization));
  };
  CHECK(ask("/v2/health/live", "").status == 200);
  CHECK(ask("/v2", "").status == 401);
  CHECK(ask("/v2", "").header("WWW-Authenticate") == "Bearer");
  CHECK(ask("/metrics", "").status == 401);
  CHECK(ask("/v2/models/none", "").status == 401);
  CHECK(ask("/v2", "Authorization: " + kToken + "\r\n").status == 401);
  CHECK(ask("/v2", "Authorization: Bearer " + kToken.substr(1) + "\r\n").status == 401);
  CHECK(ask("/v2", "Authorization: Bearer " + kToken + "x\r\n").status == 401);
  CHECK(ask("/v2", "Authorization: Basic " + kToken + "\r\n").status == 401);
  CHECK(ask("/v2", "Authorization: Bearer\r\n").status == 401);
  for (const char* const scheme : {"Bearer ", "bearer ", "BEARER "})
    CHECK(ask("/v2", "Authorization: " + (scheme + kToken) + "\r\n").status == 200);
  CHECK(server.log().find("chmod") == std::string::npos);
}

TEST_CASE("serve: --no-token goes before the token of the environment") {
  const Folder folder;
  const std::string bundle = write_linear(folder);
  ::setenv("BROCH_SERVE_TOKEN", kToken.c_str(), 1);
  const Server locked(folder, {bundle}), unlocked(folder, {bundle, "--no-token"});
  ::unsetenv("BROCH_SERVE_TOKEN");
  CHECK(locked.ask(get("/v2")).status == 401);
  CHECK(locked.ask(get("/v2", "Authorization: Bearer " + kToken + "\r\n")).status == 200);
  CHECK(unlocked.ask(get("/v2")).status == 200);
}

TEST_CASE("serve: HTTPS") {
  const Folder folder;
  const std::string make =
      "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext "
      "subjectAltName=IP:127.0.0.1 -keyout " +
      folder / "key" + " -out " + folder / "cert" + " 2> " + folder / "openssl";
  REQUIRE_MESSAGE(std::system(make.c_str()) == 0, folder.read("openssl"));
  const Server server(
      folder, {write_linear(folder), "--tls-cert", folder / "cert", "--tls-key", folder / "key"});
  folder.write("request", linear_request({1, 2, 3}).dump());
  const std::string curl = "curl -sS --fail --max-time 120 --cacert " + folder / "cert" +
                           " https://127.0.0.1:" + std::to_string(server.port()) +
                           "/v2/models/m/infer -o " + folder / "response";
  REQUIRE(std::system((curl + " -d @" + folder / "request").c_str()) == 0);
  CHECK(Json::parse(folder.read("response"))["outputs"][0]["data"] == by_hand({1, 2, 3}));
  CHECK(std::system((curl + " --tls-max 1.1 -d x 2> " + folder / "openssl").c_str()) != 0);
  CHECK(server.ask(get("/v2")).status == 0);  // plain HTTP
  CHECK(std::system((curl + " -d @" + folder / "request").c_str()) == 0);
}

TEST_CASE("serve: certificates and keys that are none") {
  const Folder folder;
  const std::string bundle = write_linear(folder), cert = folder / "cert";
  const auto make = [&](const std::string& key, const std::string& options) {
    const std::string command = "openssl req -x509 -newkey rsa:2048 -days 2 -subj /CN=localhost " +
                                options + " -keyout " + folder / key + " -out " + cert + " 2> " +
                                folder / "openssl";
    REQUIRE_MESSAGE(std::system(command.c_str()) == 0, folder.read("openssl"));
  };
  make("locked", "-passout pass:secret");
  make("key", "-nodes");
  const std::string old = "openssl rsa -traditional -aes128 -passout pass:secret -in " +
                          folder / "key" + " -out " + folder / "old" + " 2> " + folder / "openssl";
  REQUIRE_MESSAGE(std::system(old.c_str()) == 0, folder.read("openssl"));
  const auto check = [&](const std::string& certificate, const std::string& key,
                         const std::string& part) {
    check_refused({bundle, "--tls-cert", certificate, "--tls-key", key}, 5, part);
  };
  check("none.pem", folder / "key", "none.pem: No such file or directory, expected certificates");
  check(folder.path().string(), folder / "key", "a folder, expected certificates as PEM");
  const std::string pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  check(pipe, folder / "key", pipe + ": no regular file, expected certificates as PEM");
  check(cert, pipe, pipe + ": no regular file, expected the private key");
  check(cert, "none.pem", "none.pem: No such file or directory, expected the private key");
  check(cert, folder.path().string(), "a folder, expected the private key");
  check(cert, folder / "locked", folder / "locked: a key that is encrypted, expected one without");
  check(cert, folder / "old", folder / "old: a key that is encrypted, expected one without");
}

TEST_CASE("serve: what is refused before it listens") {
  const Folder folder;
  const std::string bundle = write_linear(folder);
  check_refused({bundle, "--host", "0.0.0.0"}, 2, "no token");
  check_refused({bundle, "--host", "example.org", "--no-token"}, 5, "no IP address");
  check_refused({bundle, bundle}, 2, "a second model 'm'");
  check_refused({"a b=" + bundle}, 2, "the name 'a b'");
  check_refused({folder / "none"}, 5, folder / "none");
  check_refused({folder.write("text", "no bundle")}, 5, "text");
  check_refused({bundle, "--token-file", folder / "none"}, 5, "none");
  check_refused({bundle, "--token-file", folder.write("short", "abc\n")}, 2, "3 bytes");
  check_refused({bundle, "--token-file", folder.write("long", std::string(5000, 'a'))}, 2,
                "more than 4096 bytes");
  check_refused({bundle, "--token-file", folder.path().string()}, 5, "a folder, expected a file");
  check_refused({bundle, "--token-file", "/dev/zero"}, 5, "/dev/zero: no regular file");
  check_refused({bundle, "--tls-cert", bundle}, 2, "--tls-key");
  check_refused({bundle, "--tls-cert", bundle, "--tls-key", bundle}, 5, "certificates as PEM");
  check_refused({bundle, "--max-batch", "0"}, 2, "--max-batch");
}
