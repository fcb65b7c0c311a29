// preprocessing_test.cpp: what a bundle may say about its samples.
#include "predict/preprocessing.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"

using namespace broch;

namespace {

// The exit code with which the text is refused; ok if it is not.
base::Exit refused(const std::string& text) {
  try {
    predict::preprocessing_from(text, "small.bundle");
  } catch (const base::Error& error) {
    CHECK(std::string(error.what()).find("small.bundle") != std::string::npos);
    return error.exit();
  }
  return base::Exit::ok;
}

const char* const kText =
    R"({"source":{"use":"broch.dataflow.csv","with":{"components":[{"columns":["a"]}]}},)"
    R"("steps":[{"use":"broch.dataflow.map","with":{"transforms":[{"use":"broch.transform.cast",)"
    R"("with":{"dtype":"float32"}}]}}],"inputs":["x","label"]})";

}  // namespace

TEST_CASE("preprocessing: what is read is written again") {
  const predict::Preprocessing read = predict::preprocessing_from(kText, "small.bundle");
  CHECK(predict::to_text(read) == kText);
  CHECK(predict::transforms_of(read) == std::vector<std::string>{"broch.transform.cast"});
  CHECK(read.inputs == std::vector<std::string>{"x", "label"});
  CHECK(predict::to_text(predict::preprocessing_from("", "small.bundle")).empty());
  const predict::Preprocessing missing =
      predict::preprocessing_from(R"({"missing":["a","b"]})", "small.bundle");
  CHECK(missing.missing.size() == 2);
  CHECK(predict::to_text(missing) == R"({"missing":["a","b"]})");
}

TEST_CASE("preprocessing: an option that names a file of the bundle") {
  const std::string text =
      R"({"source":{"use":"broch.dataflow.csv","with":{"a":"bundle:a.txt","b":"a.txt"}}})";
  predict::Preprocessing read =
      predict::preprocessing_from(text, "small.bundle", {{"a.txt", "words"}});
  std::vector<std::string> found;
  predict::for_each_reference(read.source, [&](const value::Value& option) {
    found.push_back(*predict::file_of(read, option.string()));
  });
  CHECK(found == std::vector<std::string>{"words"});
  CHECK(predict::file_of(read, "a.txt") == nullptr);
  CHECK(refused(text) == base::Exit::data);
}

TEST_CASE("preprocessing: a bundle that calls for anything else is refused") {
  // A step that runs a program, a transform of a plugin, a file that is not there, no entry, no
  // list, no JSON.
  for (const char* text :
       {R"({"steps":[{"use":"broch.dataflow.pipe","with":{"command":["true"]}}]})",
        R"({"steps":[{"use":"broch.dataflow.map","with":{"transforms":[{"use":"org.x.y"}]}}]})",
        R"({"steps":[{"use":"broch.dataflow.map"}]})", R"({"steps":[7]})", R"({"steps":{}})",
        R"({"steps":[{"use":"broch.dataflow.map","with":{"a":["bundle:gone.txt"]}}]})",
        R"({"source":{"use":"broch.dataflow.csv","with":{"a":"bundle:"}}})", R"({"inputs":[1]})",
        R"({"source":{"use":7,"with":{}}})", "[", "7 8"}) {
    CAPTURE(text);
    CHECK(refused(text) == base::Exit::data);
  }
  CHECK(refused(kText) == base::Exit::ok);
}
