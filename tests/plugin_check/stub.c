int stub_function(void);
int stub_function(void) { return 1; }
