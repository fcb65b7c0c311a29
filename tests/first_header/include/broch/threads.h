/* threads.h: what the tags in [brackets] on function pointers mean.
 *
 * A tag names a role, not an operating system thread. Calls with the same tag on one instance never
 * overlap, except for [any].
 *
 *   [main]  the controlling role: create, destroy, setup_graph, callbacks, triggers, checkpoints.
 *           Only one such call runs at a time in the whole run.
 *   [step]  inside a training or inference step: tower functions, backward functions. Tower calls
 *           of one model instance take turns; while one of them waits in all_reduce (ext/tower.h),
 *           others continue. Calls of different instances may overlap.
 *   [data]  the producer of one data source: open, next. Never two calls at once on one instance;
 *           they may overlap with everything else.
 *   [any]   may be called from every thread at any time, also concurrently.
 *
 * A plugin may call a host function tagged [main] wherever the plugin itself is being called as
 * [main], and so on. A thread that the plugin has started first calls thread_enter of ext/scope.h;
 * it then has the role [data] for that instance. Whatever is valid only within a scope must not be
 * used on another thread. */
#ifndef BROCH_THREADS_H
#define BROCH_THREADS_H
#endif
