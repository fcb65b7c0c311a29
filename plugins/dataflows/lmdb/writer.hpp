// writer.hpp: writes an LMDB database of data points.
#pragma once
#include <lmdb.h>

#include <memory>
#include <string>
#include <vector>

#include "containers/component.hpp"

namespace lmdb {

struct CloseEnvironment {
  void operator()(MDB_env* env) const { mdb_env_close(env); }
};
using Environment = std::unique_ptr<MDB_env, CloseEnvironment>;

// Writes a database as tensorpack's LMDBSerializer does: keys %08d, and their list as __keys__.
class Writer {
 public:
  // path: a file that does not exist yet. Throws Error otherwise.
  explicit Writer(const std::string& path);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(const std::vector<containers::Named>& point);
  // Writes the list of keys. Without it, the database has only what was committed so far.
  void finish();

 private:
  void put(const std::string& key, const std::string& value);
  void commit();

  std::string path_;
  Environment env_;
  MDB_txn* transaction_ = nullptr;
  MDB_dbi dbi_ = 0;
  std::vector<std::string> keys_;
};

}  // namespace lmdb
