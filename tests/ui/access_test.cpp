// access_test.cpp: broch ui: who may ask, and requests that are no good.
#include <doctest/doctest.h>

#include "page_server.hpp"

using namespace broch::ui_test;

namespace {

int status_of(const PageServer& server, const std::string& path, const std::string& header) {
  return Client(server.port()).ask(broch::test::get(path, header)).status;
}

}  // namespace

TEST_CASE("ui: nothing is answered without the token") {
  const Folder folder;
  add_run(folder, "a", Json::array());
  const PageServer server(folder.path());
  const std::string cookie = "broch-ui-" + std::to_string(server.port()) + "=";
  for (const std::string path : {"/", "/app.js", "/style.css", "/api/runs", "/none"}) {
    CAPTURE(path);
    CHECK(status_of(server, path, "") == 403);
    CHECK(status_of(server, path + "?token=", "") == 403);
    CHECK(status_of(server, path + "?token=" + kToken + "x", "") == 403);
    CHECK(status_of(server, path, "Authorization: Bearer x\r\n") == 403);
    CHECK(status_of(server, path, "Authorization: Basic " + kToken + "\r\n") == 403);
    CHECK(status_of(server, path, "Cookie: " + cookie + "x\r\n") == 403);
    CHECK(status_of(server, path, "Cookie: broch-ui-1=" + kToken + "\r\n") == 403);
    const int expected = path == "/none" ? 404 : 200;
    CHECK(status_of(server, path, "Cookie: a=b; " + cookie + kToken + "\r\n") == expected);
    CHECK(status_of(server, path, "Authorization: Bearer " + kToken + "\r\n") == expected);
    CHECK(status_of(server, path, "Authorization: bearer " + kToken + "\r\n") == expected);
  }
}

TEST_CASE("ui: the address gives a cookie, and pages may load nothing from elsewhere") {
  const Folder folder;
  PageServer server(folder.path());
  const Response page = server.get("/?token=" + kToken);
  CHECK(page.status == 200);
  CHECK(page.header("Set-Cookie") == "broch-ui-" + std::to_string(server.port()) + "=" + kToken +
                                         "; Path=/; HttpOnly; SameSite=Strict");
  CHECK(
      page.header("Content-Security-Policy").starts_with("default-src 'none'; script-src 'self'"));
  CHECK(page.header("X-Content-Type-Options") == "nosniff");
  CHECK(page.header("Referrer-Policy") == "no-referrer");
  CHECK(page.body.find("http://") == page.body.npos);
  CHECK(server.get("/").header("Set-Cookie").empty());
  CHECK(server.end() == 0);
}

TEST_CASE("ui: requests that are no good are refused") {
  const Folder folder;
  add_run(folder, "a", records_of(3, [](int step) { return step; }));
  const PageServer server(folder.path());
  const std::string run = "/api/runs/" + server.id("a") + "/";
  for (const std::string path :
       {"/api/runs?x=%", "/api/runs?x=%4", "/api/runs?x=%zz", "/%ff", "/api/runs?a=1&a=2",
        "/api/runs?x=%00", "/api/difference", "/api/difference?runs=1"})
    CHECK_MESSAGE(server.get(path).status >= 400, path);
  CHECK(server.get("/api/difference?runs=" + server.id("a")).status == 400);
  for (const std::string query : {"points=x", "points=7", "points=10001", "points=1e3", "since=-1",
                                  "since=9999999999999999999", "generation=x", "from=1.5", "to=x"})
    CHECK_MESSAGE(server.get(run + "series?" + query).status == 400, query);
  for (const std::string path : {"", "none", "series/x", "image", "image?tag=x", "histogram?tag=x"})
    CHECK_MESSAGE(server.get(run + path).status == 404, path);
  CHECK(server.get(run + "image?tag=x&n=-1").status == 400);
  CHECK(server.get("/api/runs/0000000000000000/series").status == 404);
  CHECK(server.get(run + "control").status == 405);
  CHECK(server.post("/api/runs", "{}").status == 405);
  for (const std::string body :
       {"", "x", "[]", "{}", R"({"request": 1})", R"({"request": "sto"})", R"({"request": "set"})",
        R"({"request": "set", "name": "a", "value": 1})",
        R"({"request": "set", "name": "", "value": "1"})",
        R"({"request": "set", "name": "a\nstop", "value": "1"})"})
    CHECK_MESSAGE(server.post(run + "control", body).status == 400, body);
  const std::string deep(30'000, '[');
  CHECK(server.post(run + "control", deep).status == 400);
  CHECK(server.post(run + "control", std::string(70'000, ' ')).status == 413);
  CHECK(server.post(run + "control", R"({"request": "stop"})").status == 409);  // it does not run
  CHECK(
      Client(server.port())
          .ask(broch::test::post(run + "control", "{}", "Authorization: Bearer " + kToken + "\r\n"))
          .status == 403);
  CHECK(Client(server.port()).ask("GET / HTTP/9\r\n\r\n").status == 505);
  CHECK(Client(server.port()).ask("nonsense\r\n\r\n").status == 400);
  CHECK(server.get("/").status == 200);  // still there
}

TEST_CASE("ui: no file outside the folders is read") {
  const Folder folder;
  folder.write("secret.json", R"([{"secret": 7, "epoch_num": 1, "global_step": 1}])");
  folder.write("outside/log.log", "");
  add_run(folder, "in/a", records_of(3, [](int step) { return step; }));
  for (const std::string name : {"stats.json", "manifest.json", "log.log", "plugins.json"}) {
    std::filesystem::remove(folder.path() / "in/a" / name);
    std::filesystem::create_symlink(folder.path() / "secret.json", folder.path() / "in/a" / name);
  }
  std::filesystem::create_directory_symlink(folder.path() / "outside", folder.path() / "in/link");
  const PageServer server(folder.path() / "in");
  const Json runs = server.api("runs")["runs"];
  REQUIRE(runs.size() == 1);
  CHECK(runs[0]["stats"].empty());
  const std::string run = "runs/" + std::string(runs[0]["id"]) + "/";
  CHECK(server.api(run + "series")["curves"].empty());
  CHECK(server.api(run + "manifest")["written"] == "");
  CHECK(server.api(run + "texts")["log"] == "");
  CHECK(server.api(run + "environment")["plugins"].empty());
  for (const std::string path :
       {"/../secret.json", "/%2e%2e/secret.json", "/..%2fsecret.json", "//etc/passwd",
        "/api/runs/../../secret.json", "/api/runs/%2e%2e/manifest",
        "/api/runs/..%2f..%2fsecret/texts", "/api/runs/%2fetc%2fpasswd/texts"})
    CHECK_MESSAGE(server.get(path).status == 404, path);
}
