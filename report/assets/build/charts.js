import * as core from 'echarts/core';
import { LineChart, BarChart, CustomChart } from 'echarts/charts';
import { GridComponent, TooltipComponent, LegendComponent, DataZoomInsideComponent, DataZoomSliderComponent, MarkLineComponent, MarkAreaComponent, AriaComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
core.use([LineChart, BarChart, CustomChart, GridComponent, TooltipComponent, LegendComponent, DataZoomInsideComponent, DataZoomSliderComponent, MarkLineComponent, MarkAreaComponent, AriaComponent, SVGRenderer]);
export const init = core.init, connect = core.connect, getInstanceByDom = core.getInstanceByDom;
