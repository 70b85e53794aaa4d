// Everything a page of the console needs. No build step: browsers load these modules as they are.
import "./times.js";
import "./refresh.js";
import "./live.js";
import "./share.js";
import "./charts/grid.js";
import "./logs/log.js";
