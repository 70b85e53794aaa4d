// What every page of the console needs; a page that needs more names its own module. No build step: browsers load these modules as they are.
import "./times.js";
import "./refresh.js";
import "./live.js";
import "./share.js";
