// lmdb_file.cpp: writes points to an LMDB database, as tensorpack's LMDBSerializer writes them.
#include <broch/broch.hpp>
#include <lmdb/writer.hpp>
#include <optional>

#include "files/named.hpp"

namespace {

class Lmdb final : public broch::Sink {
 public:
  explicit Lmdb(const broch::Host&) {}

  void open(const std::string& path) override { writer_.emplace(path); }
  void put(broch::PointReader& point) override { writer_->add(files::named_of(point)); }
  void close() override {
    writer_->finish();
    writer_.reset();
  }

 private:
  std::optional<lmdb::Writer> writer_;
};

}  // namespace

BROCH_SINK(Lmdb, "broch.sink.lmdb", "1.0.0",
           "Writes points to an LMDB database, as tensorpack's LMDBSerializer does.",
           broch::extensions(".lmdb", ".mdb"))
