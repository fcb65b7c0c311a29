/* threads.h: the words in [brackets] on every function pointer.
 *
 * A tag names a role, not an operating system thread. Calls with the same exclusive tag on one
 * instance never overlap.
 *
 *   [main]  the control role: create, destroy, setup_graph, callbacks, triggers, checkpoints.
 *           One at a time in the whole run.
 *   [step]  inside a training or inference step: tower functions, backward functions. Tower calls
 *           of one model instance take turns; calls of different instances may overlap.
 *   [data]  the producer role of one data source: open, next. Never two at once on one instance;
 *           may overlap with everything else.
 *   [any]   callable from every thread at any time, concurrently.
 *
 * A host function tagged [main] may be called where the plugin itself is called as [main], and so
 * on. A thread that the plugin started calls ext/scope.h's thread_enter first and then has the
 * role [data] for that instance. Nothing that belongs to a scope is valid on another thread. */
#ifndef BROCH_THREADS_H
#define BROCH_THREADS_H
#endif
